/* Preloaded into a program, it records in order whatever changes files below $RECORD_BELOW, to $RECORD_TO:
 *
 *   op:u8 path_length:u32 offset:u64 length:u32 path data        (native byte order)
 *
 * Ops: c create, w write, t truncate (offset is the size), s sync, u unlink, r rename (data is the new path). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_FILES 4096
static char *paths[MOST_FILES]; /* by descriptor, of files that are recorded */
static int log_fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int watched(const char *path) {
    const char *below = getenv("RECORD_BELOW");
    return below && path && strncmp(path, below, strlen(below)) == 0;
}

static void put(const void *data, size_t length) {
    if (syscall(SYS_write, log_fd, data, length) != (long)length)
        abort();
}

static void record(char op, const char *path, uint64_t offset, const void *data, uint32_t length) {
    uint32_t path_length = strlen(path);
    pthread_mutex_lock(&lock);
    if (log_fd < 0)
        log_fd = syscall(SYS_openat, AT_FDCWD, getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    put(&op, 1);
    put(&path_length, 4);
    put(&offset, 8);
    put(&length, 4);
    put(path, path_length);
    put(data, length);
    pthread_mutex_unlock(&lock);
}

static char *path_of(int fd) { return fd >= 0 && fd < MOST_FILES ? paths[fd] : NULL; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(int fd, const char *path, int flags, int existed) {
    if (fd < 0 || fd >= MOST_FILES || !watched(path))
        return fd;
    free(paths[fd]);
    paths[fd] = strdup(path);
    if ((flags & O_CREAT) && !existed)
        record('c', path, 0, "", 0);
    if ((flags & O_TRUNC) && existed)
        record('t', path, 0, "", 0);
    return fd;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, int) : 0;                                            \
        va_end(rest);                                                                                                  \
        int existed = access(path, F_OK) == 0;                                                                         \
        return opened(REAL(name)(path, flags, mode), path, flags, existed);                                            \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    if (path_of(fd)) {
        free(paths[fd]);
        paths[fd] = NULL;
    }
    return REAL(close)(fd);
}

static ssize_t written(int fd, const void *data, ssize_t length, uint64_t offset) {
    if (length > 0 && path_of(fd))
        record('w', paths[fd], offset, data, length);
    return length;
}

ssize_t write(int fd, const void *data, size_t length) {
    uint64_t offset = path_of(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
    return written(fd, data, REAL(write)(fd, data, length), offset);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
    return written(fd, data, REAL(pwrite)(fd, data, length, offset), offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
    return written(fd, data, REAL(pwrite64)(fd, data, length, offset), offset);
}

#define TRUNCATE(name, type)                                                                                           \
    int name(int fd, type size) {                                                                                      \
        int done = REAL(name)(fd, size);                                                                               \
        if (done == 0 && path_of(fd))                                                                                  \
            record('t', paths[fd], size, "", 0);                                                                       \
        return done;                                                                                                   \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                                                                     \
    int name(int fd) {                                                                                                 \
        int done = REAL(name)(fd);                                                                                     \
        if (done == 0 && path_of(fd))                                                                                  \
            record('s', paths[fd], 0, "", 0);                                                                          \
        return done;                                                                                                   \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    int done = REAL(unlink)(path);
    if (done == 0 && watched(path))
        record('u', path, 0, "", 0);
    return done;
}

int rename(const char *from, const char *to) {
    int done = REAL(rename)(from, to);
    if (done == 0 && watched(from))
        record('r', from, 0, to, strlen(to));
    return done;
}
