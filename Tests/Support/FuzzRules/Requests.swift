import Base
import LineProtocol

/// Checks the payloads of brokers: the parser accepts or rejects each payload, and the line protocol can express an accepted
/// request. Also checks that bytes have one form in base64url, and that a time that was read is written and read again.
public func requestHolds(_ bytes: [UInt8]) {
  verifyBase64(bytes)
  if let time = UTCTime(iso8601: String(decoding: bytes, as: UTF8.self)) {
    precondition(UTCTime(iso8601: time.iso8601) == time.cutToMilliseconds)
  }
  do throws(BridgeRequest.Fault) {
    guard let request = try BridgeRequest(bytes, arrived: UTCTime(nanosecondsSince1970: 1_795_246_294_000_000_000))
    else { return }
    precondition(request.id.map { (1...64).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 < 0x80 } } != false)
    let tagged = TaggedCommand(.requestOnce(request.options))
    var buffer = TextBuffer()
    tagged.write(to: &buffer)
    precondition(!buffer.bytes.contains { $0 < 0x20 || $0 == 0x7F })
    precondition((try? TaggedCommand(parsing: buffer.bytes.span)) == tagged)
  } catch {
    // The message is one line.
    precondition(!error.error.text.utf8.contains { $0 < 0x20 || $0 == 0x7F })
  }
}

/// Checks the commands of gpsd's clients: a byte completes at most one command, the name of an unknown command has at most
/// 32 characters, and a newline ends an incomplete command.
public func gpsdCommandsHold(_ bytes: [UInt8]) {
  let longest = 256
  var parser = GPSDRequestParser(longest: longest)
  var sinceElement = 0
  // The parser rejects a connection that does not start with a question mark.
  _ = parser.consume(UInt8(ascii: "?"))
  for byte in bytes {
    sinceElement += 1
    switch parser.consume(byte) {
    case .overlong?: precondition(sinceElement > longest)
    case .foreign?: preconditionFailure()
    case .request(let request)?:
      if case .unknown(let name) = request { precondition(name.unicodeScalars.count <= 32) }
      sinceElement = 0
    case nil: break
    }
  }
  _ = parser.consume(UInt8(ascii: "\n"))
  let next = "POLL;".utf8.compactMap { parser.consume($0) }
  precondition(next == [.request(.poll)])
}

private func verifyBase64(_ bytes: [UInt8]) {
  precondition(Base64URL.bytes(of: Base64URL.text(of: bytes)) == bytes)
  guard let text = String(validating: bytes, as: UTF8.self), let read = Base64URL.bytes(of: text) else { return }
  precondition(Base64URL.text(of: read) == text.prefix { $0 != "=" })
}
