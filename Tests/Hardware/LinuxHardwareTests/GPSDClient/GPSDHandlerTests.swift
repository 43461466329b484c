import NIOCore
import NIOEmbedded
import Testing

@testable import LinuxHardware

/// Returns a connection that has just been opened.
private func connection() throws -> EmbeddedChannel {
  let channel = EmbeddedChannel(handler: GPSDHandler())
  try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 2947)).wait()
  return channel
}

extension EmbeddedChannel {
  /// The names of the events that the handler has delivered since the last call.
  fileprivate func events() throws -> [String] {
    var names: [String] = []
    while let event = try readInbound(as: GPSDEvent.self) {
      let name =
        switch event {
        case .greeted: "greeted"
        case .epoch: "epoch"
        case .notGPSD: "notGPSD"
        case .silent: "silent"
        }
      names.append(name)
    }
    return names
  }
}

@Test func `a connection asks gpsd for its reports, and reports a gpsd that sends no greeting within 10 s`() throws {
  let channel = try connection()
  let request = try channel.readOutbound(as: ByteBuffer.self)
  #expect(request.map { String(buffer: $0) } == "?WATCH={\"enable\":true,\"json\":true};\n")
  channel.embeddedEventLoop.advanceTime(by: .milliseconds(9999))
  #expect(try channel.events() == [])
  channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
  #expect(try channel.events() == ["silent"])
  _ = try channel.finish()
}

@Test func `a gpsd that has sent its greeting is not silent, and neither is a connection that has ended`() throws {
  let greeted = try connection()
  try greeted.writeInbound(ByteBuffer(string: version + "\r\n"))
  #expect(try greeted.events() == ["greeted"])
  try greeted.writeInbound(ByteBuffer(string: version + "\r\n"))
  greeted.embeddedEventLoop.advanceTime(by: .seconds(20))
  #expect(try greeted.events() == [])
  _ = try greeted.finish()
  let ended = try connection()
  try ended.close().wait()
  ended.embeddedEventLoop.advanceTime(by: .seconds(20))
  #expect(try ended.events() == [])
}
