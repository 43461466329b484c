import Base
import TemporaryFiles
import Testing

@testable import StateStore

extension StoreTests {
  @Test func `a sealed value can be read again, and its bytes are not in any file`() throws {
    let secret = [UInt8]("the cloak's memory, which reveals positions".utf8)
    try store.seal([9], as: "cloak")
    try store.seal(secret, as: "cloak")
    try store.seal([], as: "empty")
    #expect(try store.unseal("cloak") == secret)
    #expect(directory.read("onefix.sqlite-wal")?.firstRange(of: secret) == nil)
    store.close()
    #expect(directory.read("onefix.sqlite")?.firstRange(of: secret) == nil)
    let again = try directory.open()
    #expect(try again.unseal("cloak") == secret && again.unseal("empty") == [])
    #expect(try again.unseal("nothing") == nil)
    try again.erase("cloak")
    #expect(try again.unseal("cloak") == nil)
  }

  @Test(
    arguments: [
      "UPDATE blob SET name = CASE name WHEN 'a' THEN 'b2' ELSE 'a' END",
      "UPDATE blob SET sealed = x'' WHERE name = 'a'",
      "UPDATE blob SET sealed = x'00112233445566778899aabbccddeeff' WHERE name = 'a'",
      "UPDATE blob SET sealed = CAST(sealed || x'00' AS BLOB) WHERE name = 'a'",
    ] as [StaticString])
  func `a sealed value that was changed or moved to another name cannot be read`(change: StaticString) throws {
    try store.seal([1], as: "a")
    try store.seal([2], as: "b")
    try store.execute(change)
    let error = try #require(throws: StoreError.self) { _ = try store.unseal("a") }
    #expect(error.kind == .sealBroken)
    #expect(
      error.description
        == "cannot unseal 'a' in \(directory.path)/onefix.sqlite: it was changed, or sealed with another device key "
        + "(restore the device key, or the database, from a backup)")
  }
}
