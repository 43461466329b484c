/* Reports the operations of Swift's contended Mutex to the thread sanitizer. The fast path of the lock is compiled
   into its callers, where the sanitizer sees it. The slow path is in libswiftSynchronization, which has no
   instrumentation, so that data under the lock would look like a race.
   (swift/stdlib/public/Synchronization/Mutex/LinuxImpl.swift) The library is loaded with LD_PRELOAD before
   libswiftSynchronization. It has no effect in programs without the sanitizer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/* Methods of a struct with a fixed address. Swift passes the address in a separate register. */
#define SELF void *mutex __attribute__((swift_context))
#define METHOD __attribute__((swiftcall))

typedef METHOD void lock_method(uint32_t thread, SELF);
typedef METHOD bool try_method(SELF);
typedef METHOD void unlock_method(SELF);

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
METHOD void lock_slowly(uint32_t thread, SELF) __asm__(LOCK);
METHOD void lock_slowly(uint32_t thread, SELF) {
  ((lock_method *)next(LOCK))(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
METHOD bool try_slowly(SELF) __asm__(TRY);
METHOD bool try_slowly(SELF) {
  bool is_locked = ((try_method *)next(TRY))(mutex);
  if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
  return is_locked;
}

#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
METHOD void unlock_slowly(SELF) __asm__(UNLOCK);
METHOD void unlock_slowly(SELF) {
  if (__tsan_release) __tsan_release(mutex);
  ((unlock_method *)next(UNLOCK))(mutex);
}
