import Base
import Decoding
import GNSS
import Testing

/// The example in the library's documentation.
@Test func `the example in the documentation decodes two epochs`() throws {
  let drive = """
    $GNRMC,073134.20,A,4722.61328,N,00832.50164,E,0.778,,211126,,,A*63\r
    $GNGGA,073134.20,4722.61328,N,00832.50164,E,1,11,0.95,408.2,M,47.3,M,,*42\r
    $GNRMC,073135.20,A,4722.61334,N,00832.50171,E,0.781,,211126,,,A*6D\r\n
    """
  var decoder = NMEADecoder(configuration: .replay)
  var epochs: [Epoch] = []
  decoder.consume(Array(drive.utf8).span, at: MonotonicInstant(nanoseconds: 0)) { epochs.append($0) }
  decoder.finish { epochs.append($0) }
  #expect(epochs.count == 2 && decoder.statistics.errorCount == 0)
  #expect(epochs.first?.altitude == 408.2)

  let harbour = Coordinate(latitude: 47.3665, longitude: 8.5415)
  let nowhere = Coordinate(latitude: 90.5, longitude: 8.5415)
  #expect(harbour != nil && nowhere == nil)
}
