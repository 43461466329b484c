import Testing

@testable import onefixd

@Suite struct KeyLocationTests {
  @Test(arguments: [
    ("/etc/onefix/device.key", "/etc/onefix/anchor"), ("device.key", "anchor"),
    ("/srv/my.device.key", "/srv/my.device.anchor"),
    ("/srv/boat.key", "/srv/boat.anchor"), ("boat.key", "boat.anchor"), ("/a.key/secret", "/a.key/secret.anchor"),
  ])
  func `the anchor is beside the device key, with a name that follows from the name of the key`(
    key: String, anchor: String
  ) {
    #expect(KeyLocation(named: key, usual: "/usual.key").anchor == anchor)
  }

  @Test(arguments: [("/run/onefix/onefix.sock", "/run/onefix/unsaved"), ("s", "unsaved"), ("run/s", "run/unsaved")])
  func `the copy of unsaved changes is in the folder of the socket`(socket: String, copy: String) {
    #expect(Selection.copyPath(beside: socket) == copy)
  }

  @Test(arguments: [("/srv/state//", "/srv/state"), ("state/", "state"), ("/", "/"), ("//", "/"), ("/s", "/s")])
  func `the directory of the state has no slash at its end`(option: String, directory: String) {
    #expect(StateOptions(["state": option]).directory == directory)
  }
}
