"""A copy of the tree in which something is broken on purpose."""


def files_under(folder):
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}


def mirror(source, copy):
    """Makes `copy` equal to `source`; touches nothing that is equal already, so that little is built."""
    copy.mkdir(parents=True, exist_ok=True)
    wanted = files_under(source)
    for stale in files_under(copy) - wanted:
        (copy / stale).unlink()
    for path in wanted:
        content = (source / path).read_bytes()
        target = copy / path
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod((source / path).stat().st_mode)
