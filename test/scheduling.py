"""How tests are shared out among processes: a process that crashes costs one test, not the run.

pytest-xdist 3.8 gives files that a crashed process had finished to others, as nothing to do, for
which they then wait forever (its issues 1327 and 1378, mended after that release).
"""

from __future__ import annotations

import signal
import subprocess

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class CrashSafeScheduling(LoadFileScheduling):
    """Shares out files of tests; what is left of a file whose process crashed goes to another."""

    def remove_node(self, node: WorkerController) -> str | None:
        """Take back what a process has not run, less the test that ended it, which is returned."""
        workload = self.assigned_work.pop(node)
        left = [
            test for unit in workload.values() for test, is_done in unit.items() if not is_done
        ]
        for test in left[1:]:
            self._put_back(test)
        self._share_out()
        return left[0] if left else None

    def mark_test_pending(self, item: str) -> None:
        """Have the test run again that ended a process: pytest-rerunfailures asks for it."""
        self._put_back(item)
        self._share_out()

    def _put_back(self, test: str) -> None:
        self.workqueue.setdefault(self._split_scope(test), {})[test] = False

    def _share_out(self) -> None:
        for node in self.assigned_work:
            if node in self.registered_collections:
                self._reschedule(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Give a process a file, of which it may have run a part before."""
        scope = next(iter(self.workqueue))
        before = self.assigned_work[node].pop(scope, {})
        super()._assign_work_unit(node)
        unit = self.assigned_work[node]
        unit[scope] = {**before, **unit[scope]}

    def _reschedule(self, node: WorkerController) -> None:
        """Give a process its next files; with two tests at least: it waits for a next one."""
        while self.workqueue and not node.shutting_down:
            if self._pending_of(self.assigned_work[node]) > 2:
                return
            self._assign_work_unit(node)
        super()._reschedule(node)


def describe_end(node: WorkerController) -> str:
    """Say how the process of a worker ended, by its exit code; end one that only fell silent."""
    process: subprocess.Popen[bytes] = node.gateway._io.popen
    try:
        code = process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        return f'its process {process.pid} fell silent (was its pipe closed?), and was killed'
    how = f'by {signal.Signals(-code).name}' if code < 0 else f'with exit code {code}'
    return f'its process ended {how}'
