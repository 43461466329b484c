import Configuration
import Testing

@testable import Features

@Test(
  arguments: [
    (0, 20, 0o660, nil), (0, 20, 0o666, "everyone on this machine"), (0, 20, 0o664, "everyone on this machine"),
    (0, 20, 0o662, nil), (0, 21, 0o660, "group gpio (pi)"), (0, 21, 0o640, "group gpio (pi)"),
    // Write permission alone discloses no data.
    (0, 21, 0o620, nil), (0, 0, 0o660, nil), (1000, 0, 0o200, nil),
    // Users with this primary group count as members.
    (0, 1000, 0o660, "group pi (pi)"), (0, 980, 0o660, nil), (0, 77, 0o660, nil),
    (1000, 0, 0o600, "its owner pi"), (990, 980, 0o600, nil), (1000, 21, 0o660, "its owner pi and group gpio (pi)"),
  ] as [(UInt32, UInt32, UInt32, String?)])
func `a device is shared if another user or group can read it`(
  owner: UInt32, group: UInt32, mode: UInt32, readers: String?
) {
  let file = DeviceFile(path: "/dev/ttyAMA0", owner: owner, group: group, mode: mode)
  #expect(machine().otherReaders(of: file) == readers)
}

@Test(arguments: [("uart:/dev/serial0", "ttyAMA0"), ("i2c:/dev/i2c-1", "i2c-1")])
func `a shared device is an error unless it is allowed`(receiver: String, name: String) throws {
  let shared = machine {
    $0.files["/dev/serial0"]?.mode = 0o666
    $0.files["/dev/i2c-1"]?.mode = 0o666
  }
  let refused = try subject(receiver: receiver)
  #expect(brief(refused.findings(on: shared)) == ["error receiver-shared --receiver"])
  #expect(refused.refusals(on: shared).map(\.code) == ["receiver-shared"])
  let text = refused.findings(on: shared).map(\.description).joined()
  for word in [#"KERNEL=="\#(name)""#, #"OWNER:="onefix""#, "allow_shared_receiver = true"] {
    #expect(text.contains(word), "\(text)")
  }
  let allowed = try subject(receiver: receiver, allowsSharedReceiver: true)
  #expect(brief(allowed.findings(on: shared)) == ["warning receiver-shared --receiver"])
  #expect(allowed.refusals(on: shared) == [])
  #expect(allowed.warnings(on: shared).map(\.code) == ["receiver-shared"])
}

@Test(arguments: [
  ("gpsd", "127.0.0.1:2947", "every user"), ("gpsd:localhost", "localhost:2947", "every user"),
  ("gpsd:[::1]:2947", "[::1]:2947", "every user"), ("gpsd:boat", "boat:2947", "everyone"),
])
func `a gpsd shares the receiver, on any host`(receiver: String, address: String, who: String) throws {
  let found = try subject(receiver: receiver).findings(on: machine())
  #expect(brief(found) == ["error receiver-shared --receiver"])
  #expect(found[0].message.contains("the gpsd at \(address) sends the location to \(who)"))
}

@Test(arguments: ["uart:/dev/serial0", "i2c:/dev/i2c-1", "gpsd", "simulated", "replay:/log"])
func `a simulated board shares nothing`(receiver: String) throws {
  let open = machine {
    for path in $0.files.keys { $0.files[path]?.mode = 0o666 }
    $0.files["/log"] = DeviceFile(path: "/log", kind: .other, mode: 0o644)
  }
  let subject = try subject(boardText.replacing("receiver =", with: "simulated = true\nreceiver ="), receiver: receiver)
  #expect(subject.findings(on: open) == [])
  #expect(subject.refusals(on: open) == [])
}

@Test func `users and groups are parsed`() {
  let accounts = Accounts(
    passwd: "root:x:0:0:root:/root:/bin/sh\nbad\npi:x:1000:1000:,,,:/home/pi:/bin/bash\nodd:x:one:2::/:/\n",
    group: "root:x:0:\n# note\ndialout:x:20:pi,onefix\nnone:x:z:\npi:x:1000:\n")
  #expect(accounts.users == [.init(name: "root", uid: 0, gid: 0), .init(name: "pi", uid: 1000, gid: 1000)])
  #expect(
    accounts.groups == [
      .init(name: "root", gid: 0), .init(name: "dialout", gid: 20, members: ["pi", "onefix"]),
      .init(name: "pi", gid: 1000),
    ])
  #expect(accounts.members(of: 20) == ["onefix", "pi"])
  #expect(accounts.groups(of: accounts.users[1]) == [20, 1000])
  #expect(accounts.groupName(77) == "77" && accounts.userName(77) == "77")
}
