import Base
import GNSS
import LineProtocol
import Ports
import RecordingClients
import Testing

@testable import Disclosure
@testable import Estimation

/// The down edge of the press of every test.
private let down = release - .milliseconds(100)

/// A vehicle that drives north at 15 m/s, with one epoch each second.
private struct Drive {
  var hasDate = true
  /// The epochs without a position after the last measurement.
  var gap = 0
  var change: (inout Epoch) -> Void = { _ in }

  /// Returns the fix after the drive.
  /// - Parameter arrived: the arrival of the last measurement.
  func fix(arrived: MonotonicInstant, hasState: Bool = true) throws -> SealedFix {
    var output = try output(arrived: arrived)
    if !hasState { output.state = nil }
    return SealedFix(output)
  }

  func output(arrived: MonotonicInstant) throws -> ReceiverPipeline.Output {
    var filter = PositionFilter()
    var latest: (fix: Fix, epoch: Epoch)?
    for second in -59...gap {
      let began = arrived + .seconds(second)
      var epoch = Epoch(began: began, ended: began)
      let time = start.utc(at: began)
      (epoch.date, epoch.timeOfDay) = (hasDate ? time.date : nil, time.timeOfDay)
      if second <= 0 {
        epoch.coordinate = Coordinate.here.moved(north: 15 * Double(second))
        (epoch.quality, epoch.mode) = (.autonomous, .twoDimensional)
        epoch.errorStatistics = ErrorStatistics(latitude: 3, longitude: 3)
        (epoch.speed, epoch.course) = (15, 0)
        change(&epoch)
      }
      latest = filter.update(epoch).map { ($0, epoch) }
    }
    let (fix, epoch) = try #require(latest)
    return ReceiverPipeline.Output(fix: fix, satellites: [], began: epoch.began, state: filter.state)
  }
}

extension FixReport {
  /// The metres from the fix to this position, northward.
  fileprivate func north(of fix: SealedFix) -> Double {
    ((coordinate?.latitude ?? .nan) - fix.fix.coordinate.latitude) * 111_000
  }
}

/// The position of a one-time fix is that at the press that asked for it. (A10)
@Suite struct PressPositionTests {
  /// The arrival of the measurement, counted from the down edge, and the metres that the vehicle drove until the down
  /// edge; nil if the fix is of its own epoch.
  static let rule: [(arrived: Duration, metres: Double?)] = [
    (.seconds(-2), 30), (.milliseconds(-900), 13.5), (.milliseconds(-100), 1.5), (.milliseconds(-1), 0.015), (.zero, 0),
    (.nanoseconds(1), nil), (.milliseconds(50), nil), (.milliseconds(100), nil), (.seconds(20), nil),
  ]

  @Test(arguments: rule)
  func `A10: a fix is the position at the down edge if its measurement is older, and of its own epoch otherwise`(
    arrived: Duration, metres: Double?
  ) throws {
    var scene = try Scene()
    let fix = try Drive().fix(arrived: down + arrived)
    scene.fix = fix
    let now = start + max(.zero, arrived)
    #expect(scene.failure(of: .once(try scene.once()), at: now) == nil)
    let report = fix.report(disclosed: now.monotonic, press: down)
    #expect(scene.sent.contains(report.json))
    #expect(report.age == (now.monotonic - fix.arrived).milliseconds)
    #expect(report.measured == start.utc(at: fix.arrived))
    guard let metres else {
      var own = FixReport(fix.fix, disclosed: now.monotonic)
      own.measured = own.time
      #expect(report == own && report.time == start.utc(at: fix.arrived))
      return
    }
    #expect(abs(report.north(of: fix) - metres) < 0.3)
    #expect(report.time == start.utc(at: down))
    let (radius, own) = (try #require(report.horizontalAccuracy), fix.fix.horizontalAccuracy)
    #expect(metres == 0 ? radius == own : radius >= own && radius < own + 5)
  }

  @Test func `A10: the position is that of the filter at the press, with a radius no smaller than that of the fix`()
    throws
  {
    let unknown = Drive {
      $0.errorStatistics = nil
      $0.deniesAccuracy = true
    }
    for (drive, seconds) in [(Drive(), 1), (Drive(), 2), (unknown, 1)] {
      let output = try drive.output(arrived: down - .seconds(seconds))
      let predicted = try #require(output.state?.prediction(after: Double(seconds)))
      let report = SealedFix(output).report(disclosed: start.monotonic, press: down)
      #expect(report.coordinate == predicted.coordinate)
      #expect(report.horizontalAccuracy == max(predicted.horizontalAccuracy, output.fix.horizontalAccuracy))
    }
  }

  @Test(arguments: [Duration.milliseconds(300), .milliseconds(1300)])
  func `A10: an extrapolated fix gives the position at the press, from the last measurement`(age: Duration) throws {
    let fix = try Drive(gap: 1).fix(arrived: down - age)
    #expect(fix.fix.isCoasted && fix.arrived == down - age)
    let report = fix.report(disclosed: start.monotonic, press: down)
    let last = try Drive().fix(arrived: down - age)
    #expect(abs(report.north(of: last) - 15 * Double(age.milliseconds) / 1000) < 0.3)
    #expect(report.time == start.utc(at: down) && report.measured == start.utc(at: down - age))
    #expect(report.isCoasted)
  }

  @Test func `A10: a position that the receiver did not measure stays that of its epoch`() throws {
    let fix = try Drive { $0.quality = .manual }.fix(arrived: down - .milliseconds(900))
    var own = FixReport(fix.fix, disclosed: start.monotonic)
    own.measured = own.time
    #expect(fix.report(disclosed: start.monotonic, press: down) == own)
  }

  @Test func `A10: without a date the position is that at the press, and both times are unknown`() throws {
    let fix = try Drive(hasDate: false).fix(arrived: down - .milliseconds(900))
    let report = fix.report(disclosed: start.monotonic, press: down)
    #expect(abs(report.north(of: fix) - 13.5) < 0.3)
    #expect(report.time == nil && report.measured == nil)
  }

  @Test(arguments: Transport.allCases)
  func `A10: clients of gpsd and of sentences get the fix of an epoch`(transport: Transport) throws {
    var scene = try Scene(transport: transport)
    let fix = try Drive().fix(arrived: down - .milliseconds(900))
    scene.fix = fix
    #expect(try scene.once().positionInstant == (transport == .gpsd || transport == .nmea ? nil : down))
    guard transport != .mqtt else { return }
    #expect(scene.failure(of: .once(try scene.once())) == nil)
    let hasEpoch = scene.sent.contains(#""lat":\#(fix.fix.coordinate.latitude),"#)
    #expect(hasEpoch == (transport == .gpsd || transport == .nmea))
    #expect(scene.sent.contains("measured") != hasEpoch)
  }

  @Test(arguments: [Kind.once, .update])
  func `A10: fixes without a press and updates are those of their epoch`(kind: Kind) throws {
    var scene = try Scene(isByPress: kind == .update)
    let fix = try Drive().fix(arrived: down - .milliseconds(900))
    scene.fix = fix
    #expect(scene.failure(of: try scene.request(kind)) == nil)
    #expect(scene.sent.contains(FixReport(fix.fix, disclosed: start.monotonic).json.dropLast()))
  }

  @Test(arguments: [FixAccuracy.reduced, .place])
  func `A10: fixes with a lower accuracy are the same with and without the position at the press`(
    accuracy: FixAccuracy
  ) throws {
    let steps = try [true, false].map { hasState in
      var scene = try Scene(.always, accuracy)
      scene.gate.adopt(try SealedPlaces.harbour(isThere: true))
      scene.fix = try Drive().fix(arrived: down - .milliseconds(900), hasState: hasState)
      #expect(scene.failure(of: .once(try scene.once())) == nil)
      #expect(!scene.sent.isEmpty && !scene.sent.contains("measured"))
      return scene.steps
    }
    #expect(steps[0] == steps[1])
  }

  @Test func `the speed that coarsens travel is that of the receiver, and without one that of the filter`() throws {
    let output = try Drive().output(arrived: down)
    let filtered = try #require(output.state?.prediction(after: 0)).speed
    func speed(_ reported: Double?, hasState: Bool = true) -> Double? {
      var fix = output.fix
      fix.speed = reported
      return SealedFix(
        ReceiverPipeline.Output(
          fix: fix, satellites: [], began: output.began, state: hasState ? output.state : nil)
      ).speed
    }
    #expect(speed(3) == 3 && filtered > 10)
    #expect(speed(nil) == filtered && speed(nil, hasState: false) == nil)
  }
}
