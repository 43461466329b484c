import Base
import GNSS
import Testing

@testable import Estimation

@Test func `an epoch without a position is coasted at its own time, up to 30 s after the last measurement`() throws {
  let course = Course(speed: 80)
  var filter = PositionFilter()
  for epoch in course.epochs(60) { _ = filter.update(epoch) }
  for seconds in [59, 59.001, 59.5, 88.999] {
    let coasted = filter.update(Course.epoch(at: seconds))
    let fix = try #require(coasted)
    #expect(fix.isCoasted && fix.quality == .estimated)
    #expect(fix.arrived == Course.epoch(at: 59).began && fix.time == Course.epoch(at: seconds).time)
    #expect(Course.distance(fix.coordinate, course.truth(after: seconds)) < 3)
  }
  for seconds in [89.001, 58.999] {
    let fix = filter.update(Course.epoch(at: seconds))
    #expect(fix == nil)
  }
}

@Test func `the course of a coasted fix is less than 360°`() throws {
  let epochs = Course(direction: 359.9998).epochs(60) + [Course.epoch(at: 60)]
  let course = try #require(filtered(epochs).last??.course)
  #expect(course == 0)
}

@Test(arguments: [1.4, 80, 250.0])
func `without Doppler the speed is learned from positions, however fast one goes`(speed: Double) throws {
  let course = Course(speed: speed, noise: 0.5, hasDoppler: false)
  var filter = PositionFilter()
  for epoch in course.epochs(60) { _ = filter.update(epoch) }
  let coasted = filter.update(Course.epoch(at: 64))
  let fix = try #require(coasted)
  #expect(Course.distance(fix.coordinate, course.truth(after: 64)) < 10)
}

@Test(arguments: [FixQuality.estimated, .manual, .simulator])
func `what the receiver reckoned, was told or simulates passes by, and teaches nothing`(quality: FixQuality) throws {
  var epochs = Course(speed: 0).epochs(60)
  let elsewhere = Coordinate(latitude: 10, longitude: 10)
  for index in 40..<59 { (epochs[index].coordinate, epochs[index].quality) = (elsewhere, quality) }
  let fixes = filtered(epochs)
  #expect(fixes[50]?.coordinate == elsewhere)
  #expect(fixes[50]?.quality == quality)
  #expect(try Course.distance(#require(fixes[59]).coordinate, Course().start) < 1)
  // Before the first measurement, the filter has nothing from which it can predict.
  for index in 0..<30 { (epochs[index].coordinate, epochs[index].quality) = (elsewhere, quality) }
  let late = filtered(Array(epochs[..<30]) + [Course.epoch(at: 30), epochs[31]])
  #expect(late[30] == nil)
  #expect(late[31]?.coordinate == epochs[31].coordinate)
}
