import Glibc

/// An adversary who estimates a home as a weighted sum of the means of several groups of reports. The adversary has
/// learned the best weights by least squares from half of the users, with their true homes.
struct LearnedHome {
  /// The mean error for the other half of the users.
  let error: Double

  private init(_ users: [(groups: [Point], home: Point)]) {
    let learners = stride(from: 0, to: users.count, by: 2).map { users[$0] }
    let weights = LearnedHome.weights(learners)
    error =
      stride(from: 1, to: users.count, by: 2).map { number in
        let (groups, home) = users[number]
        return (LearnedHome.estimate(groups, weights) - home).length
      }.mean
  }

  /// The weights have the sum 1, so that the estimate moves with the town.
  private static func estimate(_ groups: [Point], _ weights: [Double]) -> Point {
    zip(groups.dropFirst(), weights).reduce(groups[0]) { $0 + ($1.0 - groups[0]) * $1.1 }
  }

  /// Returns the weights of all groups but the first. (Normal equations, solved by Gauss's elimination.)
  private static func weights(_ users: [(groups: [Point], home: Point)]) -> [Double] {
    let count = users[0].groups.count - 1
    var rows = [[Double]](repeating: [Double](repeating: 0, count: count + 1), count: count)
    for (groups, home) in users {
      let columns = groups.dropFirst().map { $0 - groups[0] } + [home - groups[0]]
      for row in 0..<count {
        for column in 0...count {
          rows[row][column] += columns[row].x * columns[column].x + columns[row].y * columns[column].y
        }
      }
    }
    for pivot in 0..<count {
      rows[pivot][pivot] += 1  // A group may be equal to the first group.
      for row in 0..<count where row != pivot {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in pivot...count { rows[row][column] -= factor * rows[pivot][column] }
      }
    }
    return (0..<count).map { rows[$0][count] / rows[$0][$0] }
  }

  /// 90 days with work 8 km away, a report each hour, and three reports on each way between home and work.
  static func commute(users: Int, restarts: Double?, _ make: (UInt64) throws -> any Mechanism) rethrows -> LearnedHome {
    var random = Random(seed: 6)
    return try LearnedHome(
      (0..<users).map { user in
        var asked = Asked(try make(300_000 + UInt64(user)), restarts: restarts)
        let home = random.position()
        let work = home + Point(direction: Double.random(in: 0..<2 * .pi, using: &random)) * 8000
        var groups = [[Point]](repeating: [], count: 5)
        for day in 0..<90 {
          let midnight = Double(day) * 86_400
          for hour in [0, 2, 4, 6, 20, 22] {
            groups[0].append(asked.report(home, at: midnight + Double(hour) * 3600, &random))
            if hour == 6 {
              for way in 1...3 {
                let position = home + (work - home) * (Double(way) / 4)
                groups[way].append(asked.report(position, at: midnight + 28_800 + Double(way) * 900, &random))
              }
              for hour in 9..<17 { groups[4].append(asked.report(work, at: midnight + Double(hour) * 3600, &random)) }
              for way in 1...3 {
                let position = work + (home - work) * (Double(way) / 4)
                groups[4 - way].append(asked.report(position, at: midnight + 61_200 + Double(way) * 900, &random))
              }
            }
          }
        }
        return (groups.map { $0[...].mean }, home)
      })
  }

  /// 90 days with four errands a day, 3 to 6 km from home on all sides.
  static func errands(users: Int, restarts: Double?, _ make: (UInt64) throws -> any Mechanism) rethrows -> LearnedHome {
    var random = Random(seed: 7)
    return try LearnedHome(
      (0..<users).map { user in
        var asked = Asked(try make(400_000 + UInt64(user)), restarts: restarts)
        let home = random.position()
        var (nights, errands): ([Point], [Point]) = ([], [])
        for day in 0..<90 {
          let midnight = Double(day) * 86_400
          for hour in 0..<6 { nights.append(asked.report(home, at: midnight + Double(hour) * 3600, &random)) }
          for errand in 0..<4 {
            let direction = Point(direction: Double.random(in: 0..<2 * .pi, using: &random))
            let position = home + direction * Double.random(in: 3000..<6000, using: &random)
            errands.append(asked.report(position, at: midnight + 32_400 + Double(errand) * 7200, &random))
          }
        }
        return ([nights[...].mean, errands[...].mean, errands[...].geometricMedian], home)
      })
  }

  /// A device whose state was deleted after a month: the home has two answers.
  static func reset(users: Int, _ make: (UInt64) throws -> any Mechanism) rethrows -> LearnedHome {
    var random = Random(seed: 8)
    return try LearnedHome(
      (0..<users).map { user in
        let home = random.position()
        let answers = try (0..<2).map { life in
          var asked = Asked(try make(500_000 + UInt64(2 * user + life)), restarts: nil)
          return (0..<30).map { asked.report(home, at: Double($0) * 86_400, &random) }[...].mean
        }
        return (answers, home)
      })
  }

  /// An app that has received five precise fixes within 20 km of the home, and the approximate answers there.
  static func calibrated(users: Int, _ make: (UInt64) throws -> any Mechanism) rethrows -> LearnedHome {
    var random = Random(seed: 9)
    return try LearnedHome(
      (0..<users).map { user in
        var asked = Asked(try make(600_000 + UInt64(user)), restarts: nil)
        let home = random.position()
        let offsets = (0..<5).map { visit in
          let position = home + random.position()
          return asked.report(position, at: Double(visit) * 7200, &random) - position
        }
        let answer = asked.report(home, at: 86_400, &random)
        return ([answer, answer - offsets[...].mean], home)
      })
  }
}

/// A user in one of many villages, which the adversary knows. The adversary chooses the village that is nearest to the
/// mean of the reports.
struct Villages {
  let error: Double

  init(users: Int, reports: Int, restarts: Double?, _ make: (UInt64) throws -> any Mechanism) rethrows {
    var random = Random(seed: 10)
    var errors: [Double] = []
    for user in 0..<users {
      let landscape = Landscape(&random)
      let village = landscape.villages.randomElement(using: &random)!
      let position = village + random.normal() * 250
      var asked = Asked(try make(700_000 + UInt64(user)), restarts: restarts)
      let mean = (0..<reports).map { asked.report(position, at: Double($0) * 3600, &random) }[...].mean
      let guess = landscape.villages.min { ($0 - mean).length < ($1 - mean).length }!
      errors.append((guess - position).length)
    }
    error = errors.mean
  }
}
