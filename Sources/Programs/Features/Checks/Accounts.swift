package struct Accounts: Hashable, Sendable {
  package struct User: Hashable, Sendable {
    package var name: String
    package var uid: UInt32
    package var gid: UInt32
  }

  package struct Group: Hashable, Sendable {
    package var name: String
    package var gid: UInt32
    /// The names of the users with this group as a supplementary group, but not the users with this primary group.
    package var members: [String] = []
  }

  package var users: [User] = []
  package var groups: [Group] = []
}

extension Accounts {
  /// Parses the contents of `/etc/passwd` and `/etc/group`. Invalid text lines are ignored. (passwd(5), group(5))
  package init(passwd: String, group: String) {
    users = Accounts.rows(passwd, fields: 7).compactMap { row in
      guard let uid = UInt32(row[2]), let gid = UInt32(row[3]) else { return nil }
      return User(name: String(row[0]), uid: uid, gid: gid)
    }
    groups = Accounts.rows(group, fields: 4).compactMap { row in
      guard let gid = UInt32(row[2]) else { return nil }
      return Group(name: String(row[0]), gid: gid, members: row[3].split(separator: ",").map(String.init))
    }
  }

  private static func rows(_ text: String, fields: Int) -> [[Substring]] {
    text.split(separator: "\n").map { $0.split(separator: ":", omittingEmptySubsequences: false) }
      .filter { $0.count == fields && !$0[0].isEmpty && $0[0].first != "#" }
  }

  /// Returns the name of a group, as in `dialout`; the number as text if the group has no name.
  package func groupName(_ gid: UInt32) -> String { groups.first { $0.gid == gid }?.name ?? "\(gid)" }

  /// Returns the name of a user, as in `pi`; the number as text if no such user exists.
  package func userName(_ uid: UInt32) -> String { users.first { $0.uid == uid }?.name ?? "\(uid)" }

  /// Returns the sorted names of all users in a group, including the users with this primary group.
  package func members(of gid: UInt32) -> [String] {
    let named = groups.filter { $0.gid == gid }.flatMap(\.members)
    return Set(named + users.filter { $0.gid == gid }.map(\.name)).sorted()
  }

  package func groups(of user: User) -> Set<UInt32> {
    Set(groups.filter { $0.members.contains(user.name) }.map(\.gid)).union([user.gid])
  }
}
