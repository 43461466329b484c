import Foundation
import Sentences

/// Returns a log of ten minutes in one position, with one epoch per second, within one quarter hour.
func stayingLog(_ latitude: String) -> String {
  (0..<600).map { second in
    let position = "\(latitude),N,00832.50000,E"
    let time = String(format: "07%02d%02d.00", second / 60, second % 60)
    return nmeaSentence("GPRMC,\(time),A,\(position),0.0,0.0,211126,,,A")
      + nmeaSentence("GPGGA,\(time),\(position),1,09,0.9,408.2,M,47.3,M,,")
  }.joined()
}
