import Glibc

/// Prints the figures of the filter on simulated and recorded tracks, one JSON object per line.
///
/// The arguments are pairs of files: a log and its true positions.
@main
struct PositioningBench {
  /// The seeds of the tracks of each environment.
  private static let seeds: ClosedRange<UInt64> = 1...40
  /// The seeds of the tracks with faulty positions. The parameters were chosen on other seeds, below 8000.
  private static let faultSeeds: ClosedRange<UInt64> = 9001...9030
  /// The seeds of the tracks of each trial.
  private static let trialSeeds: ClosedRange<UInt64> = 1...6

  static func main() {
    do {
      // The files come first, because they may be unreadable.
      let files = Array(CommandLine.arguments.dropFirst())
      for index in stride(from: 0, to: files.count - 1, by: 2) { try log(files[index], truth: files[index + 1]) }
    } catch {
      let message = Array("\(error)\n".utf8)
      _ = unsafe write(STDERR_FILENO, message, message.count)
      exit(66)
    }
    drives(Drive.straight, "drives")
    drives(Drive.manoeuvres, "manoeuvres")
    drives(Drive.faults, "faults")
    cars()
    environments(Receiver(), "filtered")
    environments(Receiver(hasFiltered: false), "unfiltered")
    outliers("40-150 m", metres: 40...150, epochs: 1)
    outliers("10-30 m", metres: 10...30, epochs: 1)
    outliers("3 s burst", metres: 40...150, epochs: 3)
    for seconds in [5, 10, 30] {
      coasting("vehicle", [.city, .highway], seconds: seconds)
      coasting("highway", [.highway], seconds: seconds)
      coasting("city", [.city], seconds: seconds)
    }
    for fault in [SpeedFault.none, .missing, .courseless] { press(fault) }
    for fault in PositionFault.allCases { for speed in [SpeedFault.none, .missing] { receiverFault(fault, speed) } }
    standing("holds", Receiver(holds: true))
    standing("filtered", Receiver())
    standing("unfiltered", Receiver(hasFiltered: false))
  }

  /// The largest errors, metres: at each rate, of the receiver itself, and without speed.
  private static func drives(_ drives: [Drive], _ table: String) {
    for drive in drives {
      var line = Line(table, drive.name)
      func add(_ key: String, _ errors: [FixErrors]) { line.add(key, errors.flatMap(\.errors).quantile(1)) }
      let byRate = [1.0, 5, 10, 25].map { (rate: Int($0), scores: drive.scores(rate: $0)) }
      add("raw", byRate.flatMap { $0.scores.map(\.raw) })
      for (rate, scores) in byRate { add("\(rate)Hz", scores.map(\.smoothed)) }
      let withoutSpeed = drive.scores(rate: 1, .missing)
      add("no speed", withoutSpeed.map(\.smoothed))
      line.add("over", (byRate.flatMap(\.scores) + withoutSpeed).map(\.smoothed.longestOutside).quantile(1))
      line.say()
    }
  }

  /// The drives of cars with each fault of the speed.
  private static func cars() {
    var scores = SpeedFault.allCases.map { (fault: $0, scores: [Score]()) }
    for seed in CarDrives.seeds {
      for track in CarDrives.tracks(seed: seed) {
        for index in scores.indices { scores[index].scores.append(Score(scores[index].fault.applied(to: track))) }
      }
    }
    for (fault, scores) in scores {
      let ratios = scores.map(\.ratio)
      var line = Line("speed", fault.rawValue)
      line.add("median", ratios.quantile(0.5))
      line.add("mean", ratios.mean)
      line.add("worst", ratios.quantile(1))
      line.add("above 1.02", Double(ratios.count { $0 > 1.02 }) / Double(ratios.count))
      line.addShares(of: scores.map(\.smoothed))
      line.addOutside(of: scores)
      line.say()
    }
    var line = Line("speed", "the receiver itself")
    let own = scores[0].scores.map(\.raw)
    line.addShares(of: own)
    line.add("over", own.map(\.longestOutside).quantile(1))
    line.say()
  }

  private static func environments(_ receiver: Receiver, _ name: String) {
    var ratios: [Double] = []
    var open: [FixErrors] = []
    for environment in Environment.allCases {
      let scores = seeds.map { Score(receiver.track(environment.scenario(seed: $0), seed: $0)) }
      ratios += scores.map(\.ratio)
      if environment.isOpen { open += scores.map(\.smoothed) }
      var line = Line("scenario", "\(environment.rawValue), \(name)")
      line.add("rmse", scores.map(\.ratio).mean)
      line.add("worst", scores.map(\.ratio).quantile(1))
      line.addShares(of: scores.map(\.smoothed))
      line.add("raw68", scores.map(\.raw).share(of: \.inside68))
      line.addOutside(of: scores)
      line.say()
    }
    var line = Line("tracks", name)
    line.add("median", ratios.quantile(0.5))
    line.add("mean", ratios.mean)
    line.add("p95", ratios.quantile(0.95))
    line.addShares(of: open)
    line.say()
  }

  private static func outliers(_ name: String, metres: ClosedRange<Double>, epochs: Int) {
    var residuals: [Double] = []
    for environment in Environment.allCases where environment.isOpen {
      for seed in trialSeeds {
        let track = Receiver().track(environment.scenario(seed: seed), seed: seed)
        residuals += Trials.residuals(track, metres: metres, epochs: epochs, seed: seed)
      }
    }
    var line = Line("outliers", name)
    line.add("mean", residuals.mean)
    line.add("p95", residuals.quantile(0.95))
    line.say()
  }

  private static func coasting(_ name: String, _ environments: [Environment], seconds: Int) {
    var all: [Trials.Coasted] = []
    for environment in environments {
      for seed in trialSeeds {
        all += Trials.coasting(Receiver().track(environment.scenario(seed: seed), seed: seed), seconds: seconds)
      }
    }
    say(all, "\(name), \(seconds) s")
  }

  private static func say(_ coasted: [Trials.Coasted], _ name: String) {
    var line = Line("coasting", name)
    line.add("ratio", coasted.map(\.coasted).quantile(0.68) / coasted.map(\.held).quantile(0.68))
    line.add("inside", Double(coasted.count { $0.isInside }) / Double(max(1, coasted.count)))
    line.say()
  }

  private static func receiverFault(_ fault: PositionFault, _ speed: SpeedFault) {
    let trials = faultSeeds.flatMap { FaultTrial.trials(fault, speed, seed: $0) }
    let (samples, ratios) = (trials.flatMap(\.samples), trials.map(\.ratio))
    var line = Line("position faults", "\(fault.rawValue), \(speed.rawValue)")
    line.add("mean", ratios.mean)
    line.add("worst", ratios.quantile(1))
    line.add("above 1.02", Double(ratios.count { $0 > 1.02 }) / Double(ratios.count))
    line.add("inside68", samples.inside)
    line.add("standing", samples.filter { $0.stood >= 5 }.inside)
    line.add("first", samples.filter { (10...30).contains($0.index) }.inside)
    line.add("too large", trials.map(\.tooLarge).mean)
    if fault == .drift {
      let worse = trials.flatMap(\.recoveries)
      line.add("unrecovered", Double(worse.count { $0 > 5 }) / Double(worse.count))
    }
    line.say()
  }

  private static func press(_ fault: SpeedFault) {
    var press = Press()
    for seed in seeds {
      for (index, surroundings) in [Surroundings.open, .suburb].enumerated() {
        let seed = 100 * UInt64(index + 1) + seed
        let scenario = Scenario(.road, [surroundings], duration: 300, seed: seed)
        press.add(scenario, Receiver(hasFiltered: seed % 4 != 0), fault, seed: seed)
      }
    }
    var line = Line("press", fault.rawValue)
    line.add("median", press.errors.quantile(0.5))
    line.add("p95", press.errors.quantile(0.95))
    line.add("fix", press.kept.quantile(0.5))
    line.add("inside68", Double(press.inside) / Double(press.errors.count))
    line.say()
  }

  private static func standing(_ name: String, _ receiver: Receiver) {
    let ratios = trialSeeds.map { seed in
      let score = Score(receiver.track(Environment.static.scenario(seed: seed), seed: seed))
      return score.smoothed.path / score.raw.path
    }
    var line = Line("standing", name)
    line.add("path", ratios.mean)
    line.add("worst", ratios.quantile(1))
    line.say()
  }

  private static func log(_ file: String, truth: String) throws {
    let track = try RecordedTrack.points(log: file, truth: truth)
    let score = Score(track)
    let (raw, smoothed) = (Figures(score.raw.errors), Figures(score.smoothed.errors))
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var line = Line("log", name.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline })
    line.add("epochs", Double(score.raw.errors.count))
    line.add("raw_rmse", raw.rmse)
    line.add("rmse", score.ratio)
    line.add("median", smoothed.median / raw.median)
    line.add("p95", smoothed.p95 / raw.p95)
    line.add("max", smoothed.most / raw.most)
    line.addShares(of: [score.smoothed])
    line.add("over", score.smoothed.longestOutside)
    line.say()
    for seconds in [5, 10, 30] {
      let coasted = Trials.everyCoasting(track, seconds: seconds)
      if !coasted.isEmpty { say(coasted, "\(name), \(seconds) s") }
    }
  }
}

/// One line of the output.
private struct Line {
  private var text: String

  init(_ table: String, _ name: String) { text = "{\"table\":\"\(table)\",\"name\":\"\(name)\"" }

  mutating func add(_ key: String, _ value: Double) {
    // JSON has no NaN.
    let shown = value.isFinite ? "\((value * 1000).rounded() / 1000)" : "null"
    text += ",\"\(key)\":\(shown)"
  }

  /// The shares of fixes with the true position inside the radius.
  mutating func addShares(of errors: [FixErrors]) {
    add("inside68", errors.share(of: \.inside68))
    add("inside95", errors.share(of: \.inside95))
  }

  /// The longest times outside five times `hacc`, seconds.
  mutating func addOutside(of scores: [Score]) {
    add("over", scores.map(\.smoothed.longestOutside).quantile(1))
    add("more", scores.map(\.addedOutside).quantile(1))
    add("coasted", scores.map(\.smoothed.longestCoastedOutside).quantile(1))
  }

  func say() { print(text + "}") }
}

extension [FixErrors] {
  /// A count of all tracks as a share of their measured fixes.
  fileprivate func share(of count: KeyPath<FixErrors, Int>) -> Double {
    Double(map { $0[keyPath: count] }.reduce(0, +)) / Double(Swift.max(1, map(\.errors.count).reduce(0, +)))
  }
}
