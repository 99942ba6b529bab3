"""The process that holds SWI-Prolog: reads requests from stdin, writes replies to stdout.

Started by `process.py` with the program file, the time limit and the memory limit; or by
`fork_server.py` with a socket, and forks a worker for each program then. This is the only file
that imports pyswip; it imports nothing else of the project, so it starts quickly.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
from typing import Any

from pyswip import core as swi
from pyswip.prolog import Prolog

# Prolog loads what it can of a faulty program: remember that it complained, and let it print.
_COMPLAINTS = (
    'user:message_hook(_, Kind, _) :- '
    'memberchk(Kind, [error, warning]), assertz(user:complained), fail'
)


# What programs use; loaded once for all forks.
_LIBRARIES = 'lists', 'apply', 'random', 'aggregate', 'time'
# Standard input, output and errors of a fork.
_STREAMS = 3


def main() -> int:
    """Answer the requests for one program, or fork for each program that is asked for."""
    if sys.argv[1] == '--serve':
        return _serve(socket.socket(fileno=int(sys.argv[2])))
    Prolog()
    return _answer_requests(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))


def _serve(requests: socket.socket) -> int:
    """Fork a worker for each request until the other side has closed; reply with its number."""
    Prolog()
    # A fork has one thread only.
    _run('set_prolog_flag(gc_thread, false)')
    for name in _LIBRARIES:
        _run(f'use_module(library({name}))')
    # Nobody waits for the workers here.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        data, streams, _, _ = socket.recv_fds(requests, 1 << 16, _STREAMS)
        if not data:
            return 0
        number = os.fork()
        if not number:
            return _work(requests, data, streams)
        for stream in streams:
            os.close(stream)
        requests.sendall(b'%d\n' % number)


def _work(requests: socket.socket, data: bytes, streams: list[int]) -> int:
    requests.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    path, seconds, megabytes = json.loads(data)
    # Prolog's own ending waits for threads that the fork does not have.
    os._exit(_answer_requests(path, seconds, megabytes))


def _answer_requests(path: str, seconds: float, megabytes: int) -> int:
    """Load the program, say so, and answer requests until stdin ends."""
    out = sys.stdout.buffer
    _run(f'set_prolog_flag(stack_limit, {megabytes * 2**20})')
    _run(f'set_prolog_flag(table_space, {megabytes * 2**20})')
    _run('set_prolog_flag(verbose_load, silent)')
    _run('dynamic(complained/0)')
    _run(f'assertz(({_COMPLAINTS}))')
    quoted = path.replace('\\', '\\\\').replace("'", "\\'")
    if not _run(f"load_files('{quoted}', []), \\+ complained"):
        return 1
    _run('retractall(user:message_hook(_, _, _))')
    _run(f'nb_setval(time_limit, {seconds})')
    out.write(b'ready\n')
    out.flush()
    answer = swi.PL_predicate(b'answer', 2, b'user')
    for line in sys.stdin.buffer:
        reply = _ask(answer, line.rstrip(b'\n'))
        out.write(reply + b'\nend\n')
        out.flush()
    return 0


def _run(goal: str) -> bool:
    """Run a goal once, from text."""
    frame = swi.PL_open_foreign_frame()
    term = swi.PL_new_term_ref()
    done = swi.PL_chars_to_term(goal.encode(), term) and swi.PL_call(term, None)
    swi.PL_discard_foreign_frame(frame)
    return bool(done)


def _ask(predicate: Any, request: bytes) -> bytes:
    """Call answer(+Request, -Reply), past pyswip's conversion of whole terms."""
    frame = swi.PL_open_foreign_frame()
    try:
        args = swi.PL_new_term_refs(2)
        swi.PL_put_chars(args, swi.PL_STRING | swi.REP_UTF8, len(request), request)
        if not swi.PL_call_predicate(None, swi.PL_Q_NODEBUG, predicate, args):
            return b'error engine the request was not understood'
        text = ctypes.c_char_p()
        flags = swi.CVT_STRING | swi.BUF_DISCARDABLE | swi.REP_UTF8
        if not swi.PL_get_chars(args + 1, ctypes.byref(text), flags):
            return b'error engine the reply could not be read'
        return text.value or b''
    finally:
        swi.PL_discard_foreign_frame(frame)


if __name__ == '__main__':
    sys.exit(main())
