"""The page to click: `kmerf app table.csv` answers the same questions in a browser, on this computer alone.

`server` speaks HTTP, `sitting` holds what the page shows, `worker` computes in a process of its own, `calls` makes a
question into a call, a command and a program, and `answers` an outcome into a report, pictures, tables and text. The
package uses the public functions of kmerf and the report, and nothing else of the library.
"""

from __future__ import annotations

import threading
from contextlib import closing

from kmerf.core.errors import MissingExtraError, installing


def serve(file: str | None = None, *, port: int = 0, browser: bool = True) -> None:
    """Open the page, with a table or without, and wait until it is closed or Ctrl-C is pressed.

    Parameters
    ----------
    file
        A table to begin with.
    port
        Where to listen; 0 for a free one.
    browser
        Whether to open the page in the default browser; its address is printed in any case.
    """
    try:
        from kmerf.app.server import listen, run
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "jinja2", "markupsafe"):
            raise
        needed = f"kmerf app needs {error.name}, which is not installed: {installing('app')}."
        raise MissingExtraError(needed) from None
    from kmerf.app.sitting import Sitting
    from kmerf.app.worker import Worker

    with closing(listen(port)) as listener:
        worker = Worker()
        try:
            sitting = Sitting(worker)
            if file is not None:  # the page opens meanwhile
                sitting.path = sitting.file = file
                threading.Thread(target=sitting.open, args=(file, file), daemon=True).start()
            run(sitting, listener, browser=browser)
        finally:
            worker.end()
