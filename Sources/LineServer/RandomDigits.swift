import Handshake

/// 32 hexadecimal digits that nobody can guess: 128 random bits.
package func randomDigits() -> String {
  var generator = SystemRandomNumberGenerator()
  return hexadecimal((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
}
