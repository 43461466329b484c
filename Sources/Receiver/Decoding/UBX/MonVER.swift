/// The UBX message MON-VER with the version of a u-blox receiver. (40 bytes, and 30 bytes for each extension)
public struct MonVER: Hashable, Sendable {
  /// The firmware version, for example `ROM SPG 5.10 (7b202e)` or `EXT CORE 3.01 (111141)`.
  public var software: String
  /// The hardware version, for example `000A0000`.
  public var hardware: String
  /// The texts about the model, the protocol version and the supported features, for example `PROTVER=34.10`,
  /// `MOD=MAX-M10S` or `GPS;GLO;GAL;BDS`.
  public var extensions: [String] = []

  /// Creates a MON-VER message from the payload of a UBX frame.
  ///
  /// - Throws: `UBXError` if the payload is too short.
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

  /// The model of the receiver, for example `MAX-M10S`; nil if the receiver does not report its model.
  public var model: String? {
    value(of: "MOD")
  }

  /// The version of the UBX protocol in hundredths, for example 3410 for 34.10; nil if unknown.
  public var protocolVersion: Int? {
    guard let text = value(of: "PROTVER") else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let major = Int(parts[0]), (0...999).contains(major) else { return nil }
    guard parts.count == 2 else { return major * 100 }
    guard parts[1].utf8.count == 2, let minor = Int(parts[1]), minor >= 0 else { return nil }
    return major * 100 + minor
  }

  /// Whether the receiver may accept configuration keys (CFG-VALSET): true for protocol version 23.01 or later, or if
  /// the version is unknown.
  public var maySupportKeys: Bool {
    protocolVersion.map { $0 >= 2301 } ?? true
  }

  /// Returns the value after a name in `extensions`; nil without the name. For example, the value of `PROTVER` in
  /// `PROTVER=34.10` or `PROTVER 34.10` is `34.10`.
  private func value(of name: String) -> String? {
    for text in extensions where text.utf8.count > name.utf8.count + 1 && text.hasPrefix(name) {
      let rest = text.utf8.dropFirst(name.utf8.count)
      guard rest.first == UInt8(ascii: "=") || rest.first == UInt8(ascii: " ") else { continue }
      return String(decoding: rest.dropFirst(), as: UTF8.self)
    }
    return nil
  }
}
