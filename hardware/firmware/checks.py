"""Looks for mistakes in the builder's page before a pin is driven."""

BUTTONS = ("pass", "take_back", "hint", "new", "shutdown", "confirm")  # name of bit 0, 1, ...
FREE_PINS = tuple(range(23)) + (26, 27, 28)  # the others serve the Pico itself
MAX_CELLS = 3992  # what a snapshot of 512 bytes can hold
MAX_LEDS = 1024

# Where the RP2040 lets its serial units out: pin -> number of the unit.
SCK = {2: 0, 6: 0, 18: 0, 22: 0, 10: 1, 14: 1, 26: 1}
MOSI = {3: 0, 7: 0, 19: 0, 11: 1, 15: 1, 27: 1}
MISO = {0: 0, 4: 0, 16: 0, 20: 0, 8: 1, 12: 1, 28: 1}
TX = {0: 0, 12: 0, 16: 0, 28: 0, 4: 1, 8: 1, 20: 1}
RX = {1: 0, 13: 0, 17: 0, 5: 1, 9: 1, 21: 1}


class SettingsError(ValueError):
    """A mistake in board.py, in one line that says what to do."""


NAMES = """
ROWS COLS MOMENTARY SENSORS ROW_PINS COLUMN_PINS ACTIVE SETTLE_US SCAN_MS SPI_SCK SPI_MOSI SPI_MISO SPI_HZ
ROW_LATCH LOAD LEDS LED_PIN COLOUR_ORDER CORNER_LEDS BUTTON_PINS PORT UART_TX UART_RX BAUD SERVICE_PIN
""".split()


def check(board):
    """Raise SettingsError at the first mistake in `board`, a module or anything else with its names."""
    for name in NAMES:
        if not hasattr(board, name):
            raise SettingsError(f"{name} is missing: take the line from the program's own board.py")
    # Pins first need to be countable.
    for name, kind in (("ROW_PINS", "pins"), ("COLUMN_PINS", "pins"), ("CORNER_LEDS", "LEDs")):
        if not isinstance(getattr(board, name), (tuple, list, range, type(None))):
            raise SettingsError(f"{name} = {getattr(board, name)}: a list of {kind} in brackets")
    if not isinstance(board.BUTTON_PINS, dict):
        raise SettingsError(f'BUTTON_PINS = {board.BUTTON_PINS}: as in {{"pass": 2}}, or {{}}')
    _check_names(board)
    _check_grid(board)
    _check_leds(board)
    used = pins(board)
    owners = {}
    for name, pin in used:
        if not _whole(pin) or pin not in FREE_PINS:
            raise SettingsError(f"{name} = {pin}: a Pico's free pins are 0 to 22 and 26 to 28")
        if pin in owners:
            raise SettingsError(f"GP{pin} is both {owners[pin]} and {name}: give one of them another pin")
        owners[pin] = name
    _check_columns(board)
    _check_units(board)


def pins(board):
    """List (name, pin) of every pin in use."""
    used = []
    if board.SENSORS == "matrix":
        used += _numbered("ROW_PINS", board.ROW_PINS)
        used += _numbered("COLUMN_PINS", board.COLUMN_PINS)
    if drives_rows_by_registers(board):
        used += [("SPI_MOSI", board.SPI_MOSI), ("ROW_LATCH", board.ROW_LATCH)]
    if reads_registers(board):
        used += [("SPI_MISO", board.SPI_MISO), ("LOAD", board.LOAD)]
    if uses_spi(board):
        used.append(("SPI_SCK", board.SPI_SCK))
    if board.LEDS:
        used.append(("LED_PIN", board.LED_PIN))
    used += [(f'BUTTON_PINS["{name}"]', board.BUTTON_PINS[name]) for name in sorted(board.BUTTON_PINS)]
    if board.PORT == "uart":
        used += [("UART_TX", board.UART_TX), ("UART_RX", board.UART_RX)]
    if board.SERVICE_PIN is not None:
        used.append(("SERVICE_PIN", board.SERVICE_PIN))
    return used


def drives_rows_by_registers(board):
    """Whether there are 74HC595."""
    return board.SENSORS == "matrix" and board.ROW_PINS is None


def reads_registers(board):
    """Whether there are 74HC165."""
    return board.SENSORS == "chain" or board.COLUMN_PINS is None


def uses_spi(board):
    """Whether there is a shift register of any kind."""
    return drives_rows_by_registers(board) or reads_registers(board)


def _whole(number):
    return isinstance(number, int) and not isinstance(number, bool)


def _numbered(name, numbers):
    return [(f"{name}[{i}]", pin) for i, pin in enumerate(numbers or ())]


def _check_names(board):
    for name, allowed in (
        ("SENSORS", ("matrix", "chain")),
        ("ACTIVE", ("low", "high")),
        ("PORT", ("usb", "uart")),
    ):
        if getattr(board, name) not in allowed:
            raise SettingsError(
                '{} = "{}": one of "{}" and "{}"'.format(name, getattr(board, name), *allowed)
            )
    for name in sorted(board.BUTTON_PINS):
        if name not in BUTTONS:
            raise SettingsError('BUTTON_PINS["{}"]: the buttons are {}'.format(name, ", ".join(BUTTONS)))
    for name, least, most in (
        ("ROWS", 1, 255),
        ("COLS", 1, 255),
        ("LEDS", 0, MAX_LEDS),
        ("SETTLE_US", 0, 1000),
        ("SCAN_MS", 1, 30),
        ("SPI_HZ", 10_000, 10_000_000),
        ("BAUD", 1201, 3_000_000),
    ):
        number = getattr(board, name)
        if not _whole(number) or not least <= number <= most:
            raise SettingsError(f"{name} = {number}: from {least} to {most}")


def _check_grid(board):
    if board.ROWS * board.COLS > MAX_CELLS:
        raise SettingsError(f"ROWS x COLS are {board.ROWS * board.COLS} cells: at most {MAX_CELLS}")
    if board.SENSORS == "chain":
        return
    for name, numbers, cells in (
        ("ROW_PINS", board.ROW_PINS, "ROWS"),
        ("COLUMN_PINS", board.COLUMN_PINS, "COLS"),
    ):
        if numbers is not None and len(numbers) != getattr(board, cells):
            text = "{} has {} pins, {} = {}: make them equal"
            raise SettingsError(text.format(name, len(numbers), cells, getattr(board, cells)))


def _check_columns(board):
    """Columns are read from the pins' register in one go, so they must lie side by side."""
    if board.SENSORS == "matrix" and board.COLUMN_PINS is not None:
        first = board.COLUMN_PINS[0]
        if list(board.COLUMN_PINS) != list(range(first, first + board.COLS)):
            raise SettingsError(
                f"COLUMN_PINS must follow each other, as in range({first}, {first + board.COLS})"
            )


def _check_leds(board):
    if not board.LEDS:
        return
    if board.PORT == "uart":
        raise SettingsError(
            f'LEDS = {board.LEDS}: a UART is too slow for pixels, use PORT = "usb" or LEDS = 0'
        )
    if sorted(board.COLOUR_ORDER) != ["B", "G", "R"]:
        raise SettingsError(
            f'COLOUR_ORDER = "{board.COLOUR_ORDER}": the letters R, G and B in the order of the strip'
        )
    for led in board.CORNER_LEDS:
        if not _whole(led) or not 0 <= led < board.LEDS:
            raise SettingsError(f"CORNER_LEDS has {led}: LEDS = {board.LEDS} are numbered from 0")


def _check_units(board):
    wanted = []
    if uses_spi(board):
        wanted.append(("SPI_SCK", SCK))
    if drives_rows_by_registers(board):
        wanted.append(("SPI_MOSI", MOSI))
    if reads_registers(board):
        wanted.append(("SPI_MISO", MISO))
    _check_unit(board, "SPI", wanted)
    if board.PORT == "uart":
        _check_unit(board, "UART", [("UART_TX", TX), ("UART_RX", RX)])


def _check_unit(board, kind, wanted):
    unit = None
    for name, places in wanted:
        pin = getattr(board, name)
        if pin not in places:
            raise SettingsError(
                "{} = {}: one of {}".format(name, pin, ", ".join(str(pin) for pin in sorted(places)))
            )
        if unit not in (None, places[pin]):
            text = "{} = {} belongs to {}{}, {} to {}{}: choose pins of one"
            first = wanted[0][0]
            raise SettingsError(text.format(name, pin, kind, places[pin], first, kind, unit))
        unit = places[pin]
