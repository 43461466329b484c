import Clocks
import GNSS
import Glibc

/// The epochs of a car at 1 Hz, with noise and with all values that a receiver can send.
struct Drive {
  private(set) var epochs: [Epoch] = []

  /// - Parameter dropout: seconds of each minute without a position.
  init(epochs count: Int, dropout: Int = 0) {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func noise() -> Double {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Double(state >> 11) * 0x1p-53 - 0.5
    }
    var (latitude, longitude, course) = (48.0, 11.0, 0.0)
    for index in 0..<count {
      course = (course + 3 * noise() + 360).truncatingRemainder(dividingBy: 360)
      latitude += 15 * cos(course * .pi / 180) / 111_200
      longitude += 15 * sin(course * .pi / 180) / 74_400
      let arrived = MonotonicInstant(nanoseconds: Int64(index) * 1_000_000_000)
      var epoch = Epoch(began: arrived, ended: arrived)
      let time = UTCTime(nanosecondsSince1970: 1_780_000_000_000_000_000 + arrived.nanoseconds)
      (epoch.date, epoch.timeOfDay, epoch.quality) = (time.date, time.timeOfDay, .autonomous)
      if index % 60 >= dropout {
        epoch.coordinate = Coordinate(latitude: latitude + 1e-4 * noise(), longitude: longitude + 1e-4 * noise())
        (epoch.mode, epoch.altitude) = (.threeDimensional, 400 + 9 * noise())
        (epoch.speed, epoch.course, epoch.satellitesUsed) = (15 + 0.3 * noise(), course, 9)
        epoch.errorStatistics = ErrorStatistics(latitude: 4, longitude: 4, altitude: 7)
      }
      epochs.append(epoch)
    }
  }
}
