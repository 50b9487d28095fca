"""The builder's page: how this board is wired. Edit it, copy it to the Pico, plug the Pico in again.

Pins are GPIO numbers (GP0 to GP22 and GP26 to GP28), not places on the Pico's rim. A mistake in here is told
in one line when the program starts; the host's log shows it as `board: board.py: ...`.
"""

# The grid, as sensors.rows and sensors.cols in the host's settings.
ROWS = 20
COLS = 20
MOMENTARY = False  # True: keys that report a press, not that something lies there

# How cells are read: "matrix" (one row after the other, a diode at every cell) or "chain" (74HC165, an input
# for every cell, row by row from the top left).
SENSORS = "matrix"
ROW_PINS = None  # a pin for every row, or None: 74HC595 on the SPI pins below
COLUMN_PINS = None  # a pin for every column, one after the other as in range(2, 16), or None: 74HC165
ACTIVE = "low"  # level of a covered cell's input; a matrix drives the row it reads to the same level
SETTLE_US = 5  # from driving a row to reading its columns
SCAN_MS = 4  # from one reading of all cells to the next

# Shift registers. ROW_LATCH is RCLK of the 74HC595, LOAD is SH/LD of the 74HC165.
SPI_SCK = 18
SPI_MOSI = 19
SPI_MISO = 16
SPI_HZ = 1_000_000
ROW_LATCH = 20
LOAD = 17

# The strip of WS2812 under the board; LEDS = 0 if the Pi drives it or there is none.
LEDS = 400
LED_PIN = 22
COLOUR_ORDER = "GRB"
CORNER_LEDS = (0, 19, 380, 399)  # LEDs under the corners; they tick when the host is lost

# Buttons against ground; leave out what there is not.
BUTTON_PINS = {"pass": 2, "take_back": 3, "hint": 4, "new": 5, "shutdown": 6, "confirm": 7}

# The way to the host: "usb", or "uart" with LEDS = 0 (a UART is too slow for pixels).
PORT = "usb"
UART_TX = 0
UART_RX = 1
BAUD = 115200

# This pin on ground at power-up: the program does not start, so that mpremote gets through.
SERVICE_PIN = 28
