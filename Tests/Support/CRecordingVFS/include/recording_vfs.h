// A SQLite VFS that reports each change to a file before it makes the change, and can fail it.
#ifndef ONEFIX_RECORDING_VFS_H
#define ONEFIX_RECORDING_VFS_H

enum onefix_vfs_change {
  ONEFIX_VFS_CREATE = 1,
  ONEFIX_VFS_WRITE = 2,
  // `offset` is the new size.
  ONEFIX_VFS_TRUNCATE = 3,
  ONEFIX_VFS_SYNC = 4,
  // `offset` is 1 if the directory is synchronized with the deletion.
  ONEFIX_VFS_DELETE = 5,
};

// Returns a SQLite result code. For any code except 0, the VFS returns the code to SQLite and does not make the
// change.
typedef int (*onefix_vfs_witness)(
    void *context, int change, const char *path, long long offset, const void *bytes, int count);

// Registers a VFS with that name on top of the default VFS. Returns a SQLite result code.
int onefix_vfs_register(const char *name, onefix_vfs_witness witness, void *context);

void onefix_vfs_unregister(const char *name);

#endif
