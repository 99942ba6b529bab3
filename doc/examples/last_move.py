"""An external player in ten lines: plays the last legal move.

Run it as `external:python3 last_move.py`.
"""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'ask':
        answer = {'id': message['id'], 'move': message['moves'][-1]}
        print(json.dumps(answer), flush=True)  # noqa: T201
