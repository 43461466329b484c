/// MON-VER: what the receiver is. (40 bytes, and 30 for each extension)
public struct MonVER: Hashable, Sendable {
  /// As in `ROM SPG 5.10 (7b202e)` or `EXT CORE 3.01 (111141)`.
  public var software: String
  /// As in `000A0000`.
  public var hardware: String
  /// As in `PROTVER=34.10`, `MOD=MAX-M10S`, `GPS;GLO;GAL;BDS`.
  public var extensions: [String] = []

  /// - Throws: `UBXError` where the payload is too short.
  public init(_ payload: Span<UInt8>) throws(UBXError) {
    guard payload.count >= 40 else { throw .payloadLength(.monVER, payload.count) }
    software = payload.text(0..<30)
    hardware = payload.text(30..<40)
    var offset = 40
    while offset + 30 <= payload.count {
      let text = payload.text(offset..<offset + 30)
      if !text.isEmpty { extensions.append(text) }
      offset += 30
    }
  }

  /// As in `MAX-M10S`; nil where the receiver does not say.
  public var model: String? {
    value(of: "MOD")
  }

  /// Of the protocol, in hundredths: 3410 for 34.10. Nil where the receiver does not say.
  public var protocolVersion: Int? {
    guard let text = value(of: "PROTVER") else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let major = Int(parts[0]), (0...999).contains(major) else { return nil }
    guard parts.count == 2 else { return major * 100 }
    guard parts[1].utf8.count == 2, let minor = Int(parts[1]), minor >= 0 else { return nil }
    return major * 100 + minor
  }

  /// Whether configuration is a set of keys (CFG-VALSET): from protocol 23.01 on, which is M9, F9, M10 and later. What
  /// does not say its version is asked.
  public var mayKnowKeys: Bool {
    protocolVersion.map { $0 >= 2301 } ?? true
  }

  /// Written `PROTVER=34.10`, and `PROTVER 14.00` by older ones.
  private func value(of name: String) -> String? {
    for text in extensions where text.utf8.count > name.utf8.count + 1 && text.hasPrefix(name) {
      let rest = text.utf8.dropFirst(name.utf8.count)
      guard rest.first == UInt8(ascii: "=") || rest.first == UInt8(ascii: " ") else { continue }
      return String(decoding: rest.dropFirst(), as: UTF8.self)
    }
    return nil
  }
}
