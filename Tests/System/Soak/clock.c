// A library that changes the wall clock of one process: it adds the nanoseconds in the file ONEFIX_SOAK_CLOCK.
// Monotonic clocks are not changed. (libfaketime does the same for many programs, but a Swift program with it finds no
// arguments.) At a read of the time, the library also reports on request the memory that the process has allocated.
// The memory of the process is this amount plus the caches of the allocator.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct page {
  _Atomic int64_t offset, is_asked, allocated;
};
static struct page none;
static struct page *page = &none;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("ONEFIX_SOAK_CLOCK");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) page = mapped;
}

static int read_clock(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  return real(clock, now);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (page->is_asked) {
    page->is_asked = 0;
    struct mallinfo2 all = mallinfo2();
    page->allocated = all.uordblks + all.hblkhd;
  }
  int result = read_clock(clock, now);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t moved = now->tv_sec * 1000000000ll + now->tv_nsec + page->offset;
  now->tv_sec = moved / 1000000000ll;
  now->tv_nsec = moved % 1000000000ll;
  return 0;
}

int gettimeofday(struct timeval *now, void *zone) {
  (void)zone;
  struct timespec precise;
  int result = clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
