#include "recording_vfs.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  sqlite3_vfs vfs;
  sqlite3_vfs *system;
  onefix_vfs_witness witness;
  void *context;
} recording_vfs;

typedef struct {
  sqlite3_file file;
  recording_vfs *vfs;
  // SQLite keeps the name as long as the file is open. NULL for a file without a name.
  const char *path;
  // The file of the default VFS, in the memory behind this struct that SQLite allocated for both.
  sqlite3_file *real;
} recording_file;

#define REAL(file) (((recording_file *)(file))->real)

static int tell(sqlite3_file *file, int change, long long offset, const void *bytes, int count) {
  recording_file *recording = (recording_file *)file;
  if (recording->path == NULL) return SQLITE_OK;
  return recording->vfs->witness(recording->vfs->context, change, recording->path, offset, bytes, count);
}

static int file_close(sqlite3_file *file) { return REAL(file)->pMethods->xClose(REAL(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int result = tell(file, ONEFIX_VFS_WRITE, offset, bytes, count);
  return result != SQLITE_OK ? result : REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int result = tell(file, ONEFIX_VFS_TRUNCATE, size, NULL, 0);
  return result != SQLITE_OK ? result : REAL(file)->pMethods->xTruncate(REAL(file), size);
}

static int file_sync(sqlite3_file *file, int flags) {
  int result = tell(file, ONEFIX_VFS_SYNC, 0, NULL, 0);
  return result != SQLITE_OK ? result : REAL(file)->pMethods->xSync(REAL(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xLock(REAL(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }

static int file_check_lock(sqlite3_file *file, int *result) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }

static int file_characteristics(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

// Changes to shared memory are not reported, because SQLite creates this memory again after a power failure.
static int file_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
  return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, memory);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }

static int file_shm_unmap(sqlite3_file *file, int remove) {
  return REAL(file)->pMethods->xShmUnmap(REAL(file), remove);
}

// Version 2 has no memory mapping of the database. Writes to mapped memory would not be reported.
static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  recording_vfs *recording = (recording_vfs *)vfs;
  recording_file *opened = (recording_file *)file;
  memset(opened, 0, sizeof *opened);
  opened->vfs = recording;
  opened->path = flags & SQLITE_OPEN_DELETEONCLOSE ? NULL : path;
  opened->real = (sqlite3_file *)(opened + 1);
  if (opened->path != NULL && flags & SQLITE_OPEN_CREATE) {
    int exists = 0;
    int result = recording->system->xAccess(recording->system, path, SQLITE_ACCESS_EXISTS, &exists);
    if (result != SQLITE_OK) return result;
    if (!exists) {
      result = tell(file, ONEFIX_VFS_CREATE, 0, NULL, 0);
      if (result != SQLITE_OK) return result;
    }
  }
  int result = recording->system->xOpen(recording->system, path, opened->real, flags, out_flags);
  if (opened->real->pMethods != NULL) opened->file.pMethods = &file_methods;
  return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs_directory) {
  recording_vfs *recording = (recording_vfs *)vfs;
  int result = recording->witness(recording->context, ONEFIX_VFS_DELETE, path, syncs_directory ? 1 : 0, NULL, 0);
  return result != SQLITE_OK ? result : recording->system->xDelete(recording->system, path, syncs_directory);
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xAccess(system, path, flags, result);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *full) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xFullPathname(system, path, count, full);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xRandomness(system, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xSleep(system, microseconds);
}

static int vfs_current_time(sqlite3_vfs *vfs, double *time) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xCurrentTime(system, time);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xGetLastError(system, count, text);
}

static int vfs_current_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  sqlite3_vfs *system = ((recording_vfs *)vfs)->system;
  return system->xCurrentTimeInt64(system, time);
}

int onefix_vfs_register(const char *name, onefix_vfs_witness witness, void *context) {
  sqlite3_vfs *system = sqlite3_vfs_find(NULL);
  recording_vfs *recording = calloc(1, sizeof *recording);
  if (system == NULL || recording == NULL) return SQLITE_NOMEM;
  recording->system = system;
  recording->witness = witness;
  recording->context = context;
  recording->vfs = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)sizeof(recording_file) + system->szOsFile,
      .mxPathname = system->mxPathname,
      .zName = strdup(name),
      .xOpen = vfs_open,
      .xDelete = vfs_delete,
      .xAccess = vfs_access,
      .xFullPathname = vfs_full_path,
      .xRandomness = vfs_randomness,
      .xSleep = vfs_sleep,
      .xCurrentTime = vfs_current_time,
      .xGetLastError = vfs_last_error,
      .xCurrentTimeInt64 = vfs_current_time_64,
  };
  return sqlite3_vfs_register(&recording->vfs, 0);
}

void onefix_vfs_unregister(const char *name) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(name);
  if (vfs == NULL) return;
  sqlite3_vfs_unregister(vfs);
  free((char *)vfs->zName);
  free(vfs);
}
