#!/bin/sh
# An external player in ten lines of shell: plays the first legal move.
# Run it as `external:sh first_move.sh`.
while IFS= read -r line; do
  case $line in
    *'"type": "ask"'*)
      move=$(printf '%s' "$line" | sed 's/.*"moves": \["\([^"]*\)".*/\1/')
      printf '{"move": "%s"}\n' "$move"
      ;;
  esac
done
