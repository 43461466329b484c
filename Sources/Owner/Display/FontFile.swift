import Glibc
import OperatingSystem
import Synchronization

/// The font file `unifont.hex` of GNU Unifont. Characters that were used once stay in memory, 32 bytes each.
package final class FontFile: Sendable {
  /// The path of the font file in the Debian package `unifont`.
  package static let standardPath = "/usr/share/unifont/unifont.hex"

  private let file: OpenFile
  private let font: HexFont
  private let glyphs = Mutex<[Unicode.Scalar: Glyph?]>([:])

  package init(path: String = FontFile.standardPath) throws(FontError) {
    do throws(SystemFailure) { file = try OpenFile(path) } catch {
      throw FontError(path: path, cause: systemErrorText(error.number))
    }
    let descriptor = file.descriptor
    font = HexFont(size: max(0, lseek(descriptor, 0, SEEK_END))) { offset, count in
      unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        // The call writes at most `count` bytes, which is the length of the buffer.
        filled = max(0, unsafe pread(descriptor, buffer.baseAddress, count, offset))
      }
    }
    guard glyph(of: "A") != nil else { throw FontError(path: path, cause: "it is no .hex file of GNU Unifont") }
  }

  /// Returns the bitmap of a character; nil if the font has no such character.
  package func glyph(of scalar: Unicode.Scalar) -> Glyph? {
    glyphs.withLock { glyphs in
      if let known = glyphs[scalar] { return known }
      let found = font.glyph(of: scalar)
      glyphs[scalar] = .some(found)
      return found
    }
  }
}

/// The reason why the font file cannot be read.
package struct FontError: Error, Hashable, CustomStringConvertible {
  package var path: String
  package var cause: String

  package var description: String {
    "cannot read glyphs from \(path): \(cause) (install the Debian package unifont)"
  }
}
