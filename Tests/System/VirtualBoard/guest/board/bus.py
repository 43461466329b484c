"""The I2C bus and its faults: see kernel/gnss-bus.c."""

from pathlib import Path

PARAMETERS = Path("/sys/module/gnss_bus/parameters")

DDC = "/dev/gnss-ddc"
PADDED = "/dev/gnss-padded"


class Bus:
    def order(self, **faults: int | bool) -> None:
        for name, value in faults.items():
            (PARAMETERS / name).write_text(str(int(value)))

    def count(self, name: str) -> int:
        return int((PARAMETERS / name).read_text())

    def mend(self) -> None:
        """Removes all faults."""
        self.order(nak=0, timeout=0, unplugged=False, byte_us=0, smbus_only=False, display_left=-1)
