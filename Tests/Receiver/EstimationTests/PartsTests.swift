import Base
import GNSS
import SeededNumbers
import Testing

@testable import Estimation

@Test func `the median is that of the latest 31, without the order in which they came`() {
  var random = SplitMix64(seed: 2)
  var median = RunningMedian()
  #expect(median.value == nil)
  var values: [Double] = []
  for _ in 0..<300 {
    // The values contain many duplicates.
    let value = random.uniform(0...9).rounded()
    median.add(value)
    values.append(value)
    let latest = values.suffix(31).sorted()
    #expect(median.value == latest[latest.count / 2])
    #expect(median.quantile(0.1) == latest[Int(0.1 * Double(latest.count))])
    #expect(median.quantile(0.999) == latest.last)
  }
  median.add(.nan)
  #expect(median.count == 31)
}

@Test func `a position in a plane is the position again, everywhere`() throws {
  var random = SplitMix64(seed: 8)
  for _ in 0..<2000 {
    let coordinate = try #require(
      Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180)))
    let plane = Plane(at: coordinate)
    let offset = Offset(x: random.uniform(-2000...2000), y: random.uniform(-2000...2000))
    let position = try #require(plane.coordinate(at: offset))
    #expect((plane.offset(of: position) - offset).length < 0.001)
  }
}

@Test func `a course seen in a plane is the course again`() throws {
  var random = SplitMix64(seed: 8)
  for _ in 0..<2000 {
    let coordinate = try #require(
      Coordinate(latitude: random.uniform(-89...89), longitude: random.uniform(-180...180)))
    let plane = Plane(at: coordinate)
    let course = random.uniform(0...359.99)
    let velocity = plane.velocity(speed: 12, course: course, at: coordinate)
    #expect(abs(velocity.length - 12) < 1e-9)
    #expect(abs((plane.course(of: velocity, at: coordinate) - course).remainder(dividingBy: 360)) < 1e-9)
  }
}

@Test func `white noise is found beside motion, with Doppler and without`() throws {
  for hasDoppler in [true, false] {
    var random = SplitMix64(seed: 4)
    var white = WhiteNoise()
    var last = Offset.zero
    for second in 1...400 {
      let position = Offset(x: 12 * Double(second), y: 3) + Offset(x: random.normal(), y: random.normal()) * 2
      let velocity = Offset(x: 12, y: 0)
      let motion = Motion(seconds: 1, displacement: position - last, before: velocity, after: velocity)
      white.add(motion, usesDoppler: hasDoppler, .standard)
      last = position
    }
    #expect((1.4...2.7).contains(try #require(white.deviation)))
  }
}

@Test func `altitudes are filtered likewise: an outlier goes, a receiver's own passes, a hill is climbed`() throws {
  var epochs = Course(speed: 10).epochs(200)
  for index in epochs.indices {
    epochs[index].mode = .threeDimensional
    epochs[index].altitude = 400 + (index < 100 ? 0 : 0.8 * Double(index - 100))
    epochs[index].errorStatistics?.altitude = 5
  }
  let own = filtered(epochs)
  for (epoch, fix) in zip(epochs, own) {
    #expect(try abs(#require(fix?.altitude) - #require(epoch.altitude)) < 3)
  }
  #expect(own[90]?.altitude == 400)
  epochs[80].altitude = 700
  #expect(try abs(#require(filtered(epochs)[80]?.altitude) - 400) < 10)
}
