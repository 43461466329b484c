import LineProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import Features

/// Whether the connection of a client that sends these parts must end.
private func isForeign(_ parts: [String]) throws -> Bool {
  let channel = EmbeddedChannel()
  try channel.pipeline.syncOperations.addHandler(InputLimitHandler())
  for part in parts { try channel.writeInbound(ByteBuffer(string: part)) }
  let element = try channel.readInbound(as: GPSDRequestParser.Element.self)
  _ = try channel.finish(acceptAlreadyClosed: true)
  return element == .foreign
}

@Test(arguments: [
  "GET / HTTP/1.1\r\n", "POST /?a HTTP/1.1\r\n", "OPTIONS * HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n", "\u{16}\u{3}\u{1}",
  "\u{0}\u{3}\u{0}\u{1C}",
])
func `a browser that connects to a port for readers of sentences is disconnected`(request: String) throws {
  #expect(try isForeign([request]))
  #expect(try isForeign(request.map(String.init)))
}

@Test func `a program that sends commands for a receiver stays connected, up to 4096 bytes`() throws {
  let most = String(repeating: "$", count: 4096)
  for parts in [
    [], ["$PUBX,40,GLL,0,0,0,0*5C\r\n"], ["PGET / "], ["GETS"], ["\r\nGET / HTTP/1.1"], ["$", "GET "], [most],
  ] {
    #expect(try !isForeign(parts))
  }
  #expect(try isForeign([most, "$"]))
}
