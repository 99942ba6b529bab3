"""Where networks are: the processor, or what else PyTorch has."""

from __future__ import annotations

import torch

from gdl_agents.learning.errors import ConfigError

AUTO = 'auto'


def open_device(name: str) -> torch.device:
    """Return a device by its name; `auto` is an accelerator if there is one, else `cpu`.

    Raises ConfigError if networks cannot run there.
    """
    if name == AUTO:
        return torch.device(_available()[-1])
    try:
        device = torch.device(name)
        # Some devices can be named, and have no memory; `meta` holds no numbers.
        float(torch.zeros(1, device=device))
    # Which exception it is depends on the device.
    except (AssertionError, NotImplementedError, RuntimeError) as error:
        reason = str(error).split('\n', 1)[0]
        known = ', '.join((*_available(), AUTO))
        raise ConfigError(f'no device {name!r}; available: {known} ({reason})') from error
    return device


def _available() -> list[str]:
    """Return the names of devices that this machine has."""
    found = ['cpu']
    if torch.accelerator.is_available():
        kind = torch.accelerator.current_accelerator()
        found += [f'{kind}:{number}' for number in range(torch.accelerator.device_count())]
    return found
