// A SQLite VFS that tells of each change to a file before it makes it, and fails those that it is told to.
#ifndef ONEFIX_RECORDING_VFS_H
#define ONEFIX_RECORDING_VFS_H

enum onefix_vfs_change {
  ONEFIX_VFS_CREATE = 1,
  ONEFIX_VFS_WRITE = 2,
  // `offset` is the new size.
  ONEFIX_VFS_TRUNCATE = 3,
  ONEFIX_VFS_SYNC = 4,
  // `offset` is 1 where the directory is synced with it.
  ONEFIX_VFS_DELETE = 5,
};

// Returns a SQLite result code: anything but 0 is returned to SQLite instead of making the change.
typedef int (*onefix_vfs_witness)(
    void *context, int change, const char *path, long long offset, const void *bytes, int count);

// Makes a VFS of that name, on top of the system's. Returns a SQLite result code.
int onefix_vfs_register(const char *name, onefix_vfs_witness witness, void *context);

void onefix_vfs_unregister(const char *name);

#endif
