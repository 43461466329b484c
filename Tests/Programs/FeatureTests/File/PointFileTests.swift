import Base
import Foundation
import GNSS
import Glibc
import LineProtocol
import OperatingSystem
import Ports
import Synchronization
import TemporaryFiles
import Testing

@testable import Features

@Suite struct PointFileTests {
  private let folder: TemporaryDirectory
  private let path: String

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.path("points")
  }

  private func file(_ format: PointFormat = .gpx) -> PointFile { PointFile(path: path, format: format, mode: 0o640) }

  private func fix(_ number: Int) throws -> PublishedFix {
    let coordinate = try #require(Coordinate(latitude: 47.3 + Double(number) / 100, longitude: 8.5))
    let report = FixReport(coordinate: coordinate, horizontalAccuracy: 2.5, accuracy: .full)
    // The clock of the machine is not set, so a fix without a time stays without one.
    return PublishedFix(
      report, id: "id-\(number)", isByPress: true, disclosed: UTCTime(nanosecondsSince1970: 0), isClockSet: false)
  }

  private func place(_ name: String) -> PublishedFix {
    let time = UTCTime(nanosecondsSince1970: 0)
    return PublishedFix(FixReport(place: name, time: time), id: "x", isByPress: true, disclosed: time)
  }

  private func append(_ number: Int, to file: PointFile) throws { try file.append(file.format.point(try fix(number))) }

  private func content() throws -> String { String(decoding: try #require(folder.read("points")), as: UTF8.self) }

  @Test func `a GPX file has one waypoint in a line for each point, with its number as its name`() throws {
    for number in 1...3 { try append(number, to: file()) }
    let lines = try content().split(separator: "\n").map(String.init)
    #expect(lines.count == 6)
    #expect(
      lines[2]
        == #"<wpt lat="47.31" lon="8.5"><name>001</name><desc>within 2.5 m (68 %)</desc>"#
        + "<extensions><onefix:hacc>2.5</onefix:hacc><onefix:accuracy>full</onefix:accuracy>"
        + "<onefix:id>id-1</onefix:id></extensions></wpt>")
    #expect(lines[4].contains("<name>003</name>") && lines[5] == "</gpx>")
  }

  /// A fix whose position is not beyond doubt.
  private func doubtful() throws -> PublishedFix {
    var fix = try fix(1)
    fix.report.measured = UTCTime(nanosecondsSince1970: 1_500_000_000)
    fix.report.age = 440
    fix.report.isCoasted = true
    fix.report.suspicion = .jump
    return fix
  }

  @Test(arguments: PointFormat.allCases)
  func `a point has its age, its signs of doubt, and the time of the machine if the receiver has none`(
    format: PointFormat
  ) throws {
    var fix = try doubtful()
    fix.disclosed = UTCTime(nanosecondsSince1970: 1_795_246_294_200_000_000)
    for isClockSet in [true, false] {
      fix.isClockSet = isClockSet
      let point = format.point(fix)
      let text = format.header + String(decoding: point.head + point.tail, as: UTF8.self)
      for known in ["measured", "1970-01-01T00:00:01.500Z", "age_ms", "440", "coasted", "true", "suspect", "jump"] {
        #expect(text.contains(known), "\(known): \(text)")
      }
      #expect(text.contains("2026-11-21T07:31:34.200Z") == isClockSet)
    }
  }

  /// The order is that of `wptType` in topografix.com/GPX/1/1/gpx.xsd. Elements of another namespace may be in the last
  /// element only. Readers that show no extensions show the description.
  @Test func `a GPX point has its elements in the order of the schema, and signs of doubt also in its description`()
    throws
  {
    var fix = try doubtful()
    fix.report.accuracy = .reduced
    fix.report.time = UTCTime(nanosecondsSince1970: 1_200_000_000)
    (fix.report.altitude, fix.report.geoidSeparation) = (408.2, 46.9)
    (fix.report.quality, fix.report.mode, fix.report.satellites) = (.simulator, .threeDimensional, 11)
    fix.report.dilutionOfPrecision = DilutionOfPrecision(horizontal: 0.7, vertical: 1.5, position: 1.6)
    try file().append(PointFormat.gpx.point(fix))
    #expect(
      try content()
        == FixReport.gpxHeader + """
          <wpt lat="47.31" lon="8.5"><ele>408.2</ele><time>1970-01-01T00:00:01.200Z</time>\
          <geoidheight>46.9</geoidheight><name>001</name><desc>within 2.5 m (95 %), coasted, suspect: jump</desc>\
          <src>simulator</src><fix>3d</fix><sat>11</sat><hdop>0.7</hdop><vdop>1.5</vdop><pdop>1.6</pdop>\
          <extensions><onefix:hacc>2.5</onefix:hacc><onefix:accuracy>reduced</onefix:accuracy>\
          <onefix:id>id-1</onefix:id><onefix:measured>1970-01-01T00:00:01.500Z</onefix:measured>\
          <onefix:age_ms>440</onefix:age_ms><onefix:coasted>true</onefix:coasted>\
          <onefix:suspect>jump</onefix:suspect></extensions></wpt>
          </gpx>

          """)
  }

  @Test func `a GeoJSON file is one document with a feature for each point, and the name of a place has no position`()
    throws
  {
    for number in 1...3 { try append(number, to: file(.geojson)) }
    try file(.geojson).append(PointFormat.geojson.point(place("home")))
    let document = try #require(JSONValue(Array(try content().utf8)))
    let features = try #require(document["features"]?.array)
    #expect(document["type"]?.string == "FeatureCollection")
    #expect(features.map { $0["properties"]?["name"]?.string } == ["001", "002", "003", "004"])
    #expect(features.map { $0["properties"]?["id"]?.string } == ["id-1", "id-2", "id-3", "x"])
    #expect(features.map { $0["geometry"]?["coordinates"]?.array?.first?.number } == [8.5, 8.5, 8.5, nil])
    #expect(features.map { $0["geometry"] == .null } == [false, false, false, true])
    #expect(PointFormat.allCases.map(\.hasPositionsOnly) == [true, false, false])
  }

  @Test func `a CSV file has a header and a row for each point, and quotes the name of a place`() throws {
    try append(1, to: file(.csv))
    try file(.csv).append(PointFormat.csv.point(place(#"Anna's "home", Zürich"#)))
    let rows = try content().split(separator: "\n").map(String.init)
    #expect(rows.count == 3)
    #expect(rows[0].hasPrefix("name,time,lat,lon,hacc,") && rows[0].hasSuffix(",place,id"))
    #expect(rows[1].hasPrefix("001,,47.31,8.5,2.5,") && rows[1].hasSuffix(",,id-1"))
    #expect(rows[2].hasPrefix("002,1970-01-01T00:00:00.000Z,,,") && rows[2].hasSuffix(#","Anna's ""home"", Zürich",x"#))
  }

  @Test(arguments: PointFormat.allCases)
  func `a point that is already the last point is not written again`(format: PointFormat) throws {
    for number in [1, 2, 2] { try append(number, to: file(format)) }
    let once = try content()
    try append(2, to: file(format))
    #expect(try content() == once && once.contains("id-2") && !once.contains("003"))
  }

  @Test func `a fix whose delivery is cancelled, or whose indication ended, is neither written nor told as written`()
    async throws
  {
    let file = file()
    let point = file.format.point(try fix(1))
    let messages = [point.head, point.tail].map { Publication.Message(topic: "", payload: $0) }
    let publication = Publication(number: 1, messages: messages, life: .seconds(1))
    let delivery = Task {
      // The cancellation ends this wait.
      await OneTimeEvent().wait()
      return try await file.deliver(publication, while: { true })
    }
    delivery.cancel()
    await #expect(throws: OutputError.self) { try await delivery.value }
    #expect(try await !file.deliver(publication, while: { false }))
    #expect(folder.names == [])
    #expect(try await file.deliver(publication, while: { true }))
    #expect(folder.names == ["points"])
  }

  @Test func `the file has its permissions, and another program may move it away`() throws {
    try append(1, to: file())
    #expect(folder.mode("points") == 0o640)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    try append(2, to: file())
    #expect(try content().contains("<name>001</name>"))
  }

  /// Appends a point. The step with a number fails.
  /// - Returns: the steps, until the failure.
  private func append(_ number: Int, failing at: Int, with error: Int32) throws -> (steps: [FileStep], isDone: Bool) {
    let steps = Mutex<[FileStep]>([])
    let observer = FileObserver { step in
      steps.withLock { steps in
        steps.append(step)
        return steps.count - 1 == at ? error : 0
      }
    }
    let isDone = try FileObserver.$present.withValue(observer) {
      do {
        try append(number, to: file())
        return true
      } catch let error as OutputError {
        #expect(error.fault == .diskFull || error.fault == .writeFailed)
        return false
      }
    }
    return (steps.withLock(\.self), isDone)
  }

  @Test(arguments: [ENOSPC, EIO])
  func `after the failure of any write the file is complete, and the next attempt adds the point once`(
    error: Int32
  ) throws {
    try append(1, to: file())
    let before = try content()
    var failures = 0
    while true {
      let (_, isDone) = try append(2, failing: failures, with: error)
      let after = try content()
      #expect(after == before || after.contains("id-2"))
      #expect(after.hasSuffix("</wpt>\n</gpx>\n"))
      if isDone { break }
      failures += 1
      guard after == before else {
        // Only the note in the folder failed.
        try append(2, to: file())
        #expect(try content() == after)
        try folder.write(before, to: "points")
        continue
      }
    }
    #expect(failures == 6)
    #expect(try content().contains("<name>002</name>") && !content().contains("<name>003</name>"))
  }

  @Test
  func `the content is on the disk before it replaces the file, and the folder before the point counts as written`()
    throws
  {
    let steps = try append(1, failing: -1, with: 0).steps
    let draft = path + ".new"
    #expect(
      steps.suffix(3) == [.synchronize(draft), .rename(from: draft, to: path), .synchronizeDirectory(folder.path)])
  }

  private func fault(_ file: PointFile) -> OutputFault? {
    #expect(throws: OutputError.self) { try file.rehearse() }
    return #expect(throws: OutputError.self) { try append(9, to: file) }?.fault
  }

  @Test func `a file that is not the gateway's own is left as it is`() throws {
    let target = path + ".target"
    try folder.write("secret", to: "points.target")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    #expect(fault(file()) == .link)
    #expect(folder.read("points.target") == Array("secret".utf8))
    try FileManager.default.removeItem(atPath: path)
    try folder.makeFolder("points")
    #expect(fault(file()) == .noFile)
    try FileManager.default.removeItem(atPath: path)
    #expect(unsafe mkfifo(path, 0o600) == 0)
    #expect(fault(file()) == .noFile)
    try FileManager.default.removeItem(atPath: path)
    for format in PointFormat.allCases {
      let other = format == .csv ? PointFormat.gpx : .csv
      // The last two texts have a header and no point.
      for text in ["secret", other.header + "1" + other.footer, format.header, format.header + format.footer] {
        try folder.write(text, to: "points")
        #expect(fault(file(format)) == .otherContent)
        #expect(try content() == text)
      }
    }
  }

  /// The changes of an editor: each returns the lines of three points with a change.
  private static let changes: [@Sendable ([String]) -> [String]] = [
    { [$0[0], $0[2]] }, { [$0[1], $0[2]] }, { [$0[0], $0[1], $0[1], $0[2]] }, { [$0[0], $0[2], $0[1]] },
    { [$0[0], $0[1], $0[2].replacing("003", with: "3")] }, { [$0[0], $0[1], $0[2].replacing("003", with: "0003")] },
    { [$0[0], $0[1], $0[2].replacing("003", with: "north")] },
  ]

  @Test(arguments: PointFormat.allCases, changes.indices)
  func `a file whose last number is not its count of points, after an editor, is left as it is`(
    format: PointFormat, change: Int
  ) throws {
    for number in 1...3 { try append(number, to: file(format)) }
    let points = try content().dropFirst(format.header.count).dropLast(format.footer.count)
    let lines = points.split(separator: format.separator).map(String.init)
    try #require(lines.count == 3)
    let text = format.header + Self.changes[change](lines).joined(separator: format.separator) + format.footer
    try folder.write(text, to: "points")
    #expect(fault(file(format)) == .otherContent)
    #expect(try content() == text)
  }

  @Test(arguments: PointFormat.allCases)
  func `after 999 points the names have four digits`(format: PointFormat) throws {
    let point = format.point(try fix(1))
    let lines = (1...999).map { number in
      let name = Array(String(format: "%03d", number).utf8)
      return String(decoding: point.head + name + point.tail, as: UTF8.self)
    }
    let text = format.header + lines.joined(separator: format.separator) + format.footer
    try folder.write(text, to: "points")
    for number in [2, 3] { try append(number, to: file(format)) }
    let names = try content().suffix(1000).matches(of: /\b(1000|1001)\b/).map { String($0.1) }
    #expect(names == ["1000", "1001"])
  }

  @Test(arguments: [
    ("none/points", OutputFault.noFolder), ("points/points", .notFolder), ("points/folder/points", .notFolder),
  ])
  func `a missing folder and a file in place of a folder are different faults`(name: String, expected: OutputFault)
    throws
  {
    try folder.write("secret", to: "points")
    #expect(fault(PointFile(path: folder.path(name), format: .gpx, mode: 0o600)) == expected)
    #expect(try content() == "secret")
    #expect(folder.names == ["points"])
  }

  @Test func `a file beyond 16 MB is left as it is, and one without space for one more point fails the rehearsal`()
    throws
  {
    for number in 1...2 { try append(number, to: file()) }
    let (text, header) = (try content(), file().format.header)
    let filling = String(repeating: "x", count: PointFile.maximumSize - text.utf8.count)
    try folder.write("\(header)\(filling)\(text.dropFirst(header.count))", to: "points")
    #expect(fault(file()) == .fileTooLong)
    #expect(unsafe truncate(path, off_t(PointFile.maximumSize + 1)) == 0)
    #expect(fault(file()) == .fileTooLong)
    #expect(folder.names == ["points"])
  }

  @Test func `an empty file gets the first point, a rehearsal changes nothing, and both leave other files alone`()
    throws
  {
    for name in ["points.test", "points.old"] { try folder.write("other", to: name) }
    try folder.write("", to: "points")
    try file().rehearse()
    #expect(try content() == "")
    try append(1, to: file())
    #expect(try content().contains("<name>001</name>"))
    #expect(folder.names == ["points", "points.old", "points.test"])
    #expect(folder.read("points.test") == Array("other".utf8))
  }

  @Test func `a rehearsal writes the points and one more to the disk, and leaves no file after a failure`() throws {
    try append(1, to: file())
    let draft = path + ".new"
    for failing in [FileStep.create(draft), .synchronize(draft)] {
      let observer = FileObserver { $0 == failing ? ENOSPC : 0 }
      let error = #expect(throws: OutputError.self) {
        try FileObserver.$present.withValue(observer) { try file().rehearse() }
      }
      #expect(error?.fault == .diskFull)
      #expect(folder.names == ["points"])
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can act as another user"))
  func `a file of another user is named as such, also if it is closed, and a closed folder as a folder`() throws {
    try append(1, to: file())
    let before = try content()
    try #require(unsafe chown(path, 1001, 1001) == 0 && chmod(path, 0o600) == 0)
    #expect(fault(file()) == .otherOwner)
    for (mode, expected) in [(0o755 as mode_t, OutputFault.otherOwner), (0o700, .noPermission)] {
      try #require(unsafe chmod(folder.path, mode) == 0)
      // The call changes only this thread, and the thread does no other work until the second call.
      _ = setfsuid(1000)
      let found = Result { () throws(OutputError) in try file().rehearse() }
      _ = setfsuid(0)
      #expect(throws: OutputError.self) { try found.get() }
      if case .failure(let error) = found { #expect(error.fault == expected) }
    }
    #expect(try content() == before)
  }
}

/// Gives this thread the rights of a user for files. A user other than root has no rights of root.
@_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32
