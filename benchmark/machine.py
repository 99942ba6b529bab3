"""What the numbers were measured on."""

from __future__ import annotations

import os
from pathlib import Path
import platform


def describe_machine() -> dict[str, object]:
    """Return processor, cores, memory and Python; the load tells whether it was quiet."""
    return {
        'cpu': _cpu(),
        'cores': os.cpu_count(),
        'memory_gb': round(os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30),
        'system': f'{platform.system()} {platform.machine()}',
        'python': platform.python_version(),
        'load': round(os.getloadavg()[0], 1),
    }


def _cpu() -> str:
    try:
        lines = Path('/proc/cpuinfo').read_text('utf-8').split('\n')
    except OSError:
        return platform.processor()
    parts = (line.partition(':') for line in lines)
    fields = {name.strip(): value.strip() for name, colon, value in parts if colon}
    name = fields.get('model name', platform.processor())
    flags = fields.get('flags', '').split()
    return name + ''.join(f', {flag}' for flag in ('avx2', 'avx512f') if flag in flags)
