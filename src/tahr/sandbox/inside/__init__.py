"""What runs inside the sandbox's processes: the standard library only, imported without tahr.

`server` starts fresh without the trainer's memory, `grade` is the first process of each run's namespaces, `candidate`
the process that untrusted code takes over. Only `values`, the exact exchange format, is used on the other side too.
"""
