import Glibc

/// What the filter makes of simulated tracks, and of the logs that are named with their truth. One JSON object a line.
@main
struct PositioningBench {
  private static let seeds: ClosedRange<UInt64> = 1...6

  static func main() {
    do {
      // First what may not be readable.
      let files = Array(CommandLine.arguments.dropFirst())
      for index in stride(from: 0, to: files.count - 1, by: 2) { try log(files[index], truth: files[index + 1]) }
    } catch {
      let message = Array("\(error)\n".utf8)
      _ = unsafe write(STDERR_FILENO, message, message.count)
      exit(66)
    }
    simulations()
  }

  private static func simulations() {
    tracks(of: Receiver(), "filtered")
    tracks(of: Receiver(hasFiltered: false), "unfiltered")
    outliers("40-150 m", metres: 40...150, epochs: 1)
    outliers("10-30 m", metres: 10...30, epochs: 1)
    outliers("3 s burst", metres: 40...150, epochs: 3)
    for seconds in [5, 10, 30] {
      coasting("vehicle", [.city, .highway], seconds: seconds)
      coasting("highway", [.highway], seconds: seconds)
      coasting("city", [.city], seconds: seconds)
    }
    standing("holds", Receiver(holds: true))
    standing("filtered", Receiver())
    standing("unfiltered", Receiver(hasFiltered: false))
  }

  private static func tracks(of receiver: Receiver, _ name: String) {
    var ratios: [Double] = []
    var open: [Score] = []
    for scenario in Scenario.allCases {
      let scores = seeds.map { Score(receiver.track(scenario, seed: $0)) }
      let own = scores.map(\.ratio)
      ratios += own
      if scenario.isOpen { open += scores }
      var line = Line("scenario", "\(scenario.rawValue), \(name)")
      line.add("rmse", own.mean)
      line.add("worst", own.quantile(1))
      line.addShares(of: scores)
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
    for scenario in Scenario.allCases where scenario.isOpen {
      for seed in seeds {
        let track = Receiver().track(scenario, seed: seed)
        residuals += Trials.residuals(track, metres: metres, epochs: epochs, seed: seed)
      }
    }
    var line = Line("outliers", name)
    line.add("mean", residuals.mean)
    line.add("p95", residuals.quantile(0.95))
    line.say()
  }

  private static func coasting(_ name: String, _ scenarios: [Scenario], seconds: Int) {
    var all: [Trials.Coasted] = []
    for scenario in scenarios {
      for seed in seeds { all += Trials.coasting(Receiver().track(scenario, seed: seed), seconds: seconds) }
    }
    say(all, "\(name), \(seconds) s")
  }

  private static func say(_ coasted: [Trials.Coasted], _ name: String) {
    var line = Line("coasting", name)
    line.add("ratio", coasted.map(\.coasted).quantile(0.68) / coasted.map(\.held).quantile(0.68))
    line.add("inside", Double(coasted.count { $0.isInside }) / Double(max(1, coasted.count)))
    line.say()
  }

  private static func standing(_ name: String, _ receiver: Receiver) {
    let ratios = seeds.map { seed in
      let score = Score(receiver.track(.static, seed: seed))
      return score.smoothedPath / score.rawPath
    }
    var line = Line("standing", name)
    line.add("path", ratios.mean)
    line.add("worst", ratios.quantile(1))
    line.say()
  }

  private static func log(_ file: String, truth: String) throws {
    let track = try RecordedTrack.moments(log: file, truth: truth)
    let score = Score(track)
    let (raw, smoothed) = (Figures(score.raw), Figures(score.smoothed))
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var line = Line("log", name.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline })
    line.add("epochs", Double(score.raw.count))
    line.add("raw_rmse", raw.rmse)
    line.add("rmse", smoothed.rmse / raw.rmse)
    line.add("median", smoothed.median / raw.median)
    line.add("p95", smoothed.p95 / raw.p95)
    line.add("max", smoothed.most / raw.most)
    line.addShares(of: [score])
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
    // JSON knows no NaN.
    let shown = value.isFinite ? "\((value * 1000).rounded() / 1000)" : "null"
    text += ",\"\(key)\":\(shown)"
  }

  /// Of the epochs whose true position was inside the radius.
  mutating func addShares(of scores: [Score]) {
    let count = Double(max(1, scores.map(\.raw.count).reduce(0, +)))
    add("inside68", Double(scores.map(\.inside68).reduce(0, +)) / count)
    add("inside95", Double(scores.map(\.inside95).reduce(0, +)) / count)
  }

  func say() { print(text + "}") }
}
