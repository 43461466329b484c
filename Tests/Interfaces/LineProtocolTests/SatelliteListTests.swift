import GNSS
import LineProtocol
import Testing

@Test func `the signals of a satellite become one entry, with its strongest signal and its first direction`() {
  func gps(_ number: Int, isUsed: Bool?, strength: Int?, elevation: Int? = nil, azimuth: Int? = nil) -> Satellite {
    Satellite(
      constellation: .gps, number: number, elevation: elevation, azimuth: azimuth, signalStrength: strength,
      isUsed: isUsed)
  }
  let satellites = [
    gps(7, isUsed: false, strength: 30), gps(8, isUsed: nil, strength: nil),
    Satellite(constellation: .galileo, number: 7, isUsed: true), Satellite(constellation: nil, number: 7),
    gps(7, isUsed: nil, strength: 41, elevation: 30, azimuth: 120), gps(8, isUsed: false, strength: nil),
    gps(7, isUsed: true, strength: nil, elevation: 60, azimuth: 240), gps(7, isUsed: false, strength: 12),
  ]
  #expect(
    satellites.mergedBySatellite.map(\.json) == [
      #"{"gnss":"gps","id":7,"el":30,"az":120,"ss":41,"used":true}"#, #"{"gnss":"gps","id":8,"used":false}"#,
      #"{"gnss":"galileo","id":7,"used":true}"#, #"{"id":7}"#,
    ])
}
