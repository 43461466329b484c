import Configuration
import Testing

@testable import Features

/// Lines of /proc/self/mountinfo, without the numbers at their beginning.
private enum Mounts {
  static let card = "/ / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw"
  static let readOnlyCard = "/ / ro,noatime shared:1 - ext4 /dev/mmcblk0p2 ro,errors=remount-ro"
  static let run = "/ /run rw,nosuid shared:2 - tmpfs tmpfs rw,size=185876k"
  static let partition = "/onefix /var/lib/onefix rw shared:3 - ext4 /dev/mmcblk0p3 rw"
  /// Debian's package overlayroot, which raspi-config installs.
  static let overlayroot = [
    "/ / rw,relatime shared:1 - overlay overlayroot rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay,"
      + "workdir=/media/root-rw/overlay-workdir/_",
    "/ /media/root-ro ro,relatime shared:4 - ext4 /dev/mmcblk0p2 ro",
    "/ /media/root-rw rw,relatime shared:5 - tmpfs tmpfs-root rw",
  ]
  /// With `recurse=1`, overlayroot also puts an overlay over each partition of fstab.
  static let recursive =
    "/ /var/lib/onefix rw shared:6 - overlay /media/root-ro/var/lib/onefix rw,lowerdir=/media/root-ro/var/lib/onefix,"
    + "upperdir=/media/root-rw/overlay/var/lib/onefix,workdir=/media/root-rw/overlay-workdir/var/lib/onefix"
  /// The service manager mounts the state for the service, in a namespace where all else is read-only.
  static let bound =
    "/var/lib/onefix /var/lib/onefix rw shared:7 - overlay overlayroot rw,lowerdir=/media/root-ro,"
    + "upperdir=/media/root-rw/overlay,workdir=/media/root-rw/overlay-workdir/_"
  static let container =
    "/ / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A:/var/lib/docker/overlay2/l/B,"
    + "upperdir=/var/lib/docker/overlay2/c/diff,workdir=/var/lib/docker/overlay2/c/work"
  static let openWrt = [
    "/ / rw,noatime - overlay overlayfs:/overlay rw,lowerdir=/,upperdir=/overlay/upper,workdir=/overlay/work",
    "/ /overlay rw,noatime - f2fs /dev/loop0 rw",
  ]
}

private func tree(_ mounts: [String]) throws -> FakeTree {
  let tree = try FakeTree()
  try tree.file("/proc/self/mountinfo", mounts.enumerated().map { "\($0 + 20) 1 0:\($0) \($1)\n" }.joined())
  for folder in ["/var/lib", "/media/root-ro", "/media/root-rw/overlay", "/run"] { try tree.folder(folder) }
  return tree
}

@Test(
  arguments: [
    ([Mounts.card], .durable), ([Mounts.readOnlyCard], .readOnly), ([], nil),
    ([Mounts.card, "/ /var/lib rw - tmpfs tmpfs rw"], .memory("tmpfs")),
    ([Mounts.card, "/ /var/lib rw - ramfs none rw"], .memory("ramfs")),
    ([Mounts.card, "/ /var/lib rw - ext4 /dev/zram1 rw"], .memory("zram1")),
    ([Mounts.card, "/ /var/lib/onefix-other rw - tmpfs tmpfs rw"], .durable),
    (["/ / rw - rootfs rootfs rw"], .memory("rootfs")),
    // The last file system at a folder covers the others.
    ([Mounts.card, "/ /var/lib rw - tmpfs tmpfs rw", "/ /var/lib rw - ext4 /dev/sda1 rw"], .durable),
    (Mounts.overlayroot, .overlay(changes: "tmpfs")),
    (Mounts.overlayroot + [Mounts.recursive], .overlay(changes: "tmpfs")),
    (Mounts.overlayroot + [Mounts.bound], .overlay(changes: "tmpfs")),
    (Mounts.overlayroot + [Mounts.partition], .durable),
    ([Mounts.container], .overlay(changes: nil)), ([Mounts.container, Mounts.partition], .durable),
    (Mounts.openWrt, .durable),
    (["/ / rw - overlay overlay ro,lowerdir=/a:/b"], .readOnly),
    (["/ / rw - overlay overlay rw"], .overlay(changes: nil)),
    // Two overlays that name each other.
    (
      [
        "/ / rw - overlay a rw,lowerdir=/x,upperdir=/run/u", "/ /run rw - overlay b rw,lowerdir=/y,upperdir=/var/u",
      ], .overlay(changes: nil)
    ),
    (["broken", "/ / rw - ", "/ /", "/ / - ext4 /dev/sda1 rw", "/ / rw - ext4 /dev/sda1"], nil),
  ] as [([String], Machine.Storage?)])
func `the storage of the state follows from the mounted file systems`(mounts: [String], storage: Machine.Storage?)
  throws
{
  let tree = try tree(mounts)
  // The folder of the state does not exist before the first start.
  if !mounts.contains(where: { $0.contains(" /var/lib/onefix rw") }) {
    #expect(tree.reader.storage(ofChangesTo: "/var/lib/onefix") == storage)
  }
  try tree.folder("/var/lib/onefix")
  #expect(tree.reader.storage(ofChangesTo: "/var/lib/onefix") == storage)
  #expect(tree.reader.storage(ofChangesTo: "/var/lib/onefix/onefix.sqlite") == storage)
}

@Test func `a symbolic link leads to the file system of its target, and a folder with a space is found`() throws {
  let tree = try tree([Mounts.card, Mounts.run, "/ /my\\040disk rw - tmpfs tmpfs rw"])
  for folder in ["/run/state", "/my disk"] { try tree.folder(folder) }
  try tree.link("/var/lib/onefix", to: tree.path + "/run/state")
  #expect(tree.reader.storage(ofChangesTo: "/var/lib/onefix/x") == .memory("tmpfs"))
  #expect(tree.reader.storage(ofChangesTo: "/my disk/state") == .memory("tmpfs"))
}

@Test(
  arguments: [
    (["/media/root-ro/etc/onefix/device.key"], Machine.Storage.durable),
    ([], .overlay(changes: "tmpfs")), (["/media/root-rw/overlay/etc/onefix/device.key"], .overlay(changes: "tmpfs")),
    (
      ["/media/root-ro/etc/onefix/device.key", "/media/root-rw/overlay/etc/onefix/device.key"],
      .overlay(changes: "tmpfs")
    ),
  ], [[], [Mounts.bound.replacing("/var/lib/onefix", with: "/etc/onefix")]])
func `a key from before the overlay is durable, unless it was changed since`(
  key: (copies: [String], storage: Machine.Storage), bound: [String]
) throws {
  let tree = try tree(Mounts.overlayroot + bound)
  for path in key.copies + ["/etc/onefix/device.key"] { try tree.file(path, "key") }
  #expect(tree.reader.storage(ofContentsOf: "/etc/onefix/device.key") == key.storage)
}

@Test(
  arguments: [
    ([Mounts.readOnlyCard], .durable), (["/ / rw - tmpfs tmpfs rw"], .memory("tmpfs")),
    // A lower layer that the overlay covers proves nothing.
    (["/ / rw - overlay o rw,lowerdir=/,upperdir=/run/u", Mounts.run], .overlay(changes: "tmpfs")),
  ] as [([String], Machine.Storage)])
func `a key is only read, so a file system without write access is as good as any`(
  mounts: [String], storage: Machine.Storage
) throws {
  let tree = try tree(mounts)
  try tree.file("/etc/onefix/device.key", "key")
  #expect(tree.reader.storage(ofContentsOf: "/etc/onefix/device.key") == storage)
}
