import LineProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import Features

@Suite struct RequestDecoderTests {
  private static let bytes = Array(
    "?WATCH={\"enable\":true,\"json\":true}?VERSION;?WATCH={\"class\":\"WATCH\", \"nmea\":true};\r\n?POLL\n".utf8)
  private static let meant: [GPSDRequestParser.Element] = [
    .request(.watch(WatchSettings(json: true))), .request(.version), .request(.watch(WatchSettings(nmea: true))),
    .request(.poll),
  ]

  private func decode(_ parts: [ArraySlice<UInt8>]) throws -> [GPSDRequestParser.Element] {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(RequestDecoder(longest: 4096)))
    var found: [GPSDRequestParser.Element] = []
    for part in parts {
      try channel.writeInbound(ByteBuffer(bytes: part))
      while let element = try channel.readInbound(as: GPSDRequestParser.Element.self) { found.append(element) }
    }
    _ = try channel.finish(acceptAlreadyClosed: true)
    return found
  }

  @Test func `commands are the same wherever the network splits their bytes`() throws {
    let bytes = Self.bytes
    for first in 0...bytes.count {
      for second in first...bytes.count {
        #expect(try decode([bytes[..<first], bytes[first..<second], bytes[second...]]) == Self.meant)
      }
    }
    #expect(try decode(bytes.indices.map { bytes[$0...$0] }) == Self.meant)
  }

  @Test func `a command is there with its last byte, and a part of one is none when the client hangs up`() throws {
    #expect(try decode([Self.bytes[..<34]]) == [Self.meant[0]])
    #expect(try decode([Self.bytes[..<33]]) == [])
  }
}
