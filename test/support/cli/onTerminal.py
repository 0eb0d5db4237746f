"""Runs a command on a terminal: onTerminal.py WIDTH TYPED COMMAND... prints what the terminal shows and exits with its code."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios

width, typed, *command = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(width), 0, 0))
    os.execvp(command[0], command)

shown = b""
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:  # Linux reports the end of a terminal as an error.
        break
    if not chunk:
        break
    shown += chunk
    # A question ends without a line end; after it, the cursor may be moved.
    if typed and re.search(rb"[\]:] (\x1b\[\d+G)?$", shown):
        os.write(terminal, typed.encode() + b"\r")
        typed = ""
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
