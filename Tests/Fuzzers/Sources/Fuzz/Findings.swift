import Base
import Decoding
import GNSS

/// The output of a decoder, in a form that can be compared.
struct Findings: NMEAOutput, Equatable {
  var epochs: [Epoch] = []
  var others: [[UInt8]] = []
  var errors: [NMEAError] = []
  var binary: [[UInt8]] = []

  mutating func receive(_ epoch: Epoch) {
    check(epoch)
    epochs.append(epoch)
  }

  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    others.append(content.map { bytes[$0] })
  }

  mutating func receive(_ error: NMEAError) {
    _ = error.description
    errors.append(error)
  }

  mutating func receiveUBX(class: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    binary.append([`class`, id] + payload.map { bytes[$0] })
  }

  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    binary.append(payload.map { bytes[$0] })
  }
}

/// Checks that the gateway can serve an epoch: each of its values is in range.
func check(_ epoch: Epoch) {
  if let coordinate = epoch.coordinate {
    precondition((-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude))
    precondition(epoch.mode != nil)
  } else {
    precondition(epoch.mode == nil && epoch.altitude == nil && epoch.speed == nil)
  }
  for figure in [
    epoch.altitude, epoch.geoidSeparation, epoch.speed, epoch.horizontalAccuracy, epoch.verticalAccuracy,
    epoch.speedAccuracy, epoch.courseAccuracy, epoch.dilutionOfPrecision.horizontal, epoch.datumUncertainty,
  ] { precondition(figure?.isFinite != false) }
  for accuracy in [epoch.horizontalAccuracy, epoch.verticalAccuracy, epoch.speedAccuracy, epoch.courseAccuracy] {
    precondition(accuracy.map { $0 >= 0 } != false)
  }
  precondition(epoch.course.map { (0..<360).contains($0) } != false)
  precondition(epoch.satellites.count <= 4096)
  precondition(epoch.began <= epoch.ended)
  _ = epoch.time?.iso8601
}
