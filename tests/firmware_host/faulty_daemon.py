"""`blokus-table` with a fault: the first piece on the board is too much for its daemon."""

from firmware_host import assembly
from firmware_host.cli import main
from firmware_host.daemon import Daemon
from hardware.ports import SensorFrame


class Faulty(Daemon):
    def _take_report(self, report):
        if isinstance(report, SensorFrame) and report.heights.any():
            raise ZeroDivisionError("a fault made by a test")
        super()._take_report(report)


assembly.Daemon = Faulty
main()
