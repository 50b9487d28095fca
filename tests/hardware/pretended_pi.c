/* A Raspberry Pi Zero 2 W for programs that are started with this library in LD_PRELOAD.
 *
 * It stands in for what LED libraries touch: the revision of the board, /dev/spidev*, and the peripherals
 * behind /dev/mem, /dev/gpiomem and /dev/vcio, whose registers live in a sparse file and are moved by a thread.
 * Whatever leaves a pin is sent to the datagram socket PI_WIRE, as a struct `sent` and the bytes on the wire.
 *
 * PI_BUFSIZ is the longest message that spidev takes, 4096 as in the kernel unless it is set.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/spi/spidev.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CPUINFO "/proc/cpuinfo"
#define BUFSIZ_FILE "/sys/module/spidev/parameters/bufsiz"
#define REVISION_FILE "/proc/device-tree/system/linux,revision" /* where 64-bit Arm looks instead */
#define REVISION 0x902120u

/* BCM2837: where things are in physical memory. */
#define MEMORY_SIZE 0x40000000ull
#define PERIPHERALS 0x3f000000u
#define GPIO (PERIPHERALS + 0x200000u)
#define DMA_10 (PERIPHERALS + 0x7000u + 10 * 0x100u)
#define PCM (PERIPHERALS + 0x203000u)
#define CLOCK_PCM (PERIPHERALS + 0x101098u)
#define CLOCK_PWM (PERIPHERALS + 0x1010a0u)
#define BUS_PWM_FIFO 0x7e20c018u
#define BUS_PCM_FIFO 0x7e203004u
#define VIDEO_MEMORY 0x10000000u /* handed out by the mailbox */
#define TO_PHYSICAL 0x3fffffffu

#define OSCILLATOR_HZ 19200000u
#define CLOCK_KILL 0x20u
#define CLOCK_ENABLE 0x10u
#define CLOCK_BUSY 0x80u
#define DMA_ACTIVE 1u
#define PCM_EMPTY (1u << 21)

struct sent {
    char by[4];          /* SPI, PWM or PCM */
    uint32_t hz;         /* bits per second */
    uint32_t function[3]; /* GPFSEL0 to 2: three bits for each pin */
};

enum kind { OTHER, SPI, MAILBOX };

static enum kind kinds[1024]; /* of open files */
static int memory_file = -1;
static uint8_t *memory;
static int wire = -1;
static uint32_t spi_hz;
static uint8_t spi_mode;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static volatile uint32_t *at(uint32_t physical) { return (volatile uint32_t *)(memory + physical); }

static void send_wire(const char *by, uint32_t hz, const void *bytes, size_t length)
{
    struct sent head = {"", hz, {at(GPIO)[0], at(GPIO)[1], at(GPIO)[2]}};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    memcpy(head.by, by, 3);
    if (sendmsg(wire, &message, 0) < 0) {
        perror("pretended Pi: PI_WIRE");
        _exit(99);
    }
}

/* A clock is busy while it is enabled, and stops when it is killed. */
static void move_clock(uint32_t physical)
{
    volatile uint32_t *clock = at(physical);
    uint32_t control = clock[0];
    if (control & CLOCK_KILL)
        clock[0] = control & ~(CLOCK_KILL | CLOCK_ENABLE | CLOCK_BUSY);
    else if (control & CLOCK_ENABLE && !(control & CLOCK_BUSY))
        clock[0] = control | CLOCK_BUSY;
}

static void move_dma(void)
{
    volatile uint32_t *dma = at(DMA_10);
    if (!(dma[0] & DMA_ACTIVE))
        return;
    volatile uint32_t *block = at(dma[1] & TO_PHYSICAL); /* info, source, destination, length */
    int pwm = block[2] == BUS_PWM_FIFO;
    if (pwm || block[2] == BUS_PCM_FIFO) {
        uint32_t divisor = at(pwm ? CLOCK_PWM : CLOCK_PCM)[1] >> 12 & 0xfff;
        const void *bytes = memory + (block[1] & TO_PHYSICAL);
        send_wire(pwm ? "PWM" : "PCM", divisor ? OSCILLATOR_HZ / divisor : 0, bytes, block[3]);
    }
    if (!pwm)
        at(PCM)[0] |= PCM_EMPTY;
    dma[0] &= ~DMA_ACTIVE;
}

static void *run_peripherals(void *unused)
{
    const struct timespec pause = {0, 50000};
    for (;;) {
        move_clock(CLOCK_PWM);
        move_clock(CLOCK_PCM);
        move_dma();
        nanosleep(&pause, NULL);
    }
    return unused;
}

static void power_on(void)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    const char *path = getenv("PI_WIRE");
    pthread_t thread;
    memory_file = memfd_create("memory of a pretended Pi", MFD_CLOEXEC);
    if (memory_file < 0 || ftruncate(memory_file, MEMORY_SIZE))
        abort();
    memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_file, 0);
    wire = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (memory == MAP_FAILED || path == NULL)
        abort();
    strncpy(place.sun_path, path, sizeof place.sun_path - 1);
    if (connect(wire, (struct sockaddr *)&place, sizeof place) || pthread_create(&thread, NULL, run_peripherals, NULL))
        abort();
}

static unsigned long longest_message(void)
{
    const char *set = getenv("PI_BUFSIZ");
    return set ? strtoul(set, NULL, 10) : 4096;
}

static int file_with(const char *content, size_t length)
{
    int file = memfd_create("content", MFD_CLOEXEC);
    if (file < 0 || write(file, content, length) < 0 || lseek(file, 0, SEEK_SET))
        abort();
    return file;
}

/* Opens what only a Pi has; -1 for any other file. */
static int open_pretended(const char *path)
{
    enum kind kind = OTHER;
    char text[64];
    int file;
    if (!strcmp(path, CPUINFO))
        return file_with(text, snprintf(text, sizeof text, "Revision\t: %x\n", REVISION));
    if (!strcmp(path, REVISION_FILE)) {
        uint32_t revision = htonl(REVISION);
        return file_with((char *)&revision, sizeof revision);
    }
    if (!strcmp(path, BUFSIZ_FILE))
        return file_with(text, snprintf(text, sizeof text, "%lu\n", longest_message()));
    if (!strncmp(path, "/dev/spidev", 11))
        kind = SPI;
    else if (!strcmp(path, "/dev/vcio"))
        kind = MAILBOX;
    else if (strcmp(path, "/dev/mem") && strcmp(path, "/dev/gpiomem"))
        return -1;
    pthread_once(&once, power_on);
    file = fcntl(memory_file, F_DUPFD_CLOEXEC, 3);
    if (file >= 0 && file < 1024)
        kinds[file] = kind;
    return file;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static enum kind kind_of(int file) { return file >= 0 && file < 1024 ? kinds[file] : OTHER; }

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        int file = open_pretended(path);                                                                               \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;                                      \
        va_end(more);                                                                                                  \
        return file >= 0 ? file : REAL(name)(path, flags, mode);                                                       \
    }
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                                                                                    \
    FILE *name(const char *path, const char *mode)                                                                     \
    {                                                                                                                  \
        int file = open_pretended(path);                                                                               \
        return file >= 0 ? fdopen(file, mode) : REAL(name)(path, mode);                                                \
    }
FOPEN(fopen)
FOPEN(fopen64)

int close(int file)
{
    if (kind_of(file) != OTHER)
        kinds[file] = OTHER;
    return REAL(close)(file);
}

static ssize_t send_spi(const void *bytes, size_t length)
{
    if (length > longest_message()) {
        errno = EMSGSIZE;
        return -1;
    }
    send_wire("SPI", spi_hz, bytes, length);
    return length;
}

ssize_t write(int file, const void *bytes, size_t length)
{
    return kind_of(file) == SPI ? send_spi(bytes, length) : REAL(write)(file, bytes, length);
}

static int answer_spi(unsigned long request, void *argument)
{
    struct spi_ioc_transfer *transfer = argument;
    switch (request) {
    case SPI_IOC_WR_MODE:
        spi_mode = *(uint8_t *)argument;
        return 0;
    case SPI_IOC_RD_MODE:
        *(uint8_t *)argument = spi_mode;
        return 0;
    case SPI_IOC_WR_BITS_PER_WORD:
        return 0;
    case SPI_IOC_RD_BITS_PER_WORD:
        *(uint8_t *)argument = 8;
        return 0;
    case SPI_IOC_WR_MAX_SPEED_HZ:
        spi_hz = *(uint32_t *)argument;
        return 0;
    case SPI_IOC_RD_MAX_SPEED_HZ:
        *(uint32_t *)argument = spi_hz;
        return 0;
    default: /* one transfer; received is nothing */
        if (transfer->rx_buf)
            memset((void *)(uintptr_t)transfer->rx_buf, 0, transfer->len);
        return send_spi((const void *)(uintptr_t)transfer->tx_buf, transfer->len);
    }
}

/* The mailbox: a property message with one tag, answered in place. */
static int answer_mailbox(uint32_t *message)
{
    enum { ALLOCATE = 0x3000c, LOCK = 0x3000d };
    uint32_t tag = message[2];
    message[5] = tag == ALLOCATE ? 1 : tag == LOCK ? VIDEO_MEMORY | 0xc0000000u : 0;
    message[1] = 0x80000000u;
    return 0;
}

int ioctl(int file, unsigned long request, ...)
{
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (kind_of(file) == SPI && _IOC_TYPE(request) == SPI_IOC_MAGIC)
        return answer_spi(request, argument);
    if (kind_of(file) == MAILBOX && _IOC_TYPE(request) == 100)
        return answer_mailbox(argument);
    return REAL(ioctl)(file, request, argument);
}
