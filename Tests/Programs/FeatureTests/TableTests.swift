import Configuration
import Testing

/// The tables of cases, and the lines of the configuration before and after each case.
private let tables: [(before: String, rows: String, after: String)] = [
  (socketApps, ClaimTests.claims, ""), ("", ConsoleFeatureTests.invalid, ""),
  ("[display]\n", DisplayFeatureTests.invalid, ""),
  (GPSDFeatureTests.apps + "\n[gpsd_server]\n", GPSDFeatureTests.invalid, ""),
  ("[[listen]]\n", ListenFeatureTests.invalid, ""), (socketApps + "[[listen]]\n", SocketTablesTests.invalid, ""),
  ("\n[[mqtt]]\n", MQTTFeatureTests.invalid, MQTTFeatureTests.apps),
  (socketApps + "[[nmea]]\n", NMEAFeatureTests.invalid, ""),
  ("[[app]]\nid = \"ferry\"\nuid = 7\n", SerialFeatureTests.invalid, ""),
  ("[time]\n", TimeFeatureTests.invalid, ""),
]

@Test(arguments: tables.flatMap { table in cases(table.rows).map { (table.before + $0.0 + table.after, $0.1) } })
func `an invalid table is refused with its line`(text: String, errors: [String]) {
  #expect(faults(text) == errors)
}

/// Parts of the errors are enough where the reader of the tables completes them.
private let partTables = [
  (outputApps + "[[file]]\n", FileFeatureTests.invalid), (outputApps + "[[http]]\n", HTTPFeatureTests.invalid),
  ("", MetricsFeatureTests.invalid),
]

@Test(arguments: partTables.flatMap { before, rows in cases(rows).map { (before + $0.0, $0.1) } })
func `an invalid table is refused with its cause`(text: String, messages: [String]) {
  let found = faults(text)
  #expect(found.count == messages.count, "\(found)")
  for (fault, message) in zip(found, messages) { #expect(fault.contains(message), "\(fault)") }
}

private let broker = "[[mqtt]] | broker = \"mqtt://[::1]\" | app = \"remote\" | "
private let guest = "[[app]] | id = \"guest\" | uid = 1001 | "
private let server = guest + "[gpsd_server] | apps = [\"plotter\"]"

private func listener(_ table: String, _ path: String, _ app: String) -> String {
  "[[\(table)]] | socket = \"\(path)\" | app = \"\(app)\""
}

/// The tables before and after a reload, and the tables that need a restart.
@Test(
  arguments: [
    (broker + "home_assistant = false", broker + "home_assistant = true", []),
    (broker, broker + "home_assistant = true", []), (broker, broker + "owntracks = true", ["mqtt"]),
    ("[page] | port = 2", "[page] | port = 1", ["page"]), ("", "[metrics] | file = \"/a\"", ["metrics"]),
    (server, guest + "[gpsd_server] | apps = [\"guest\"]", []), (server, server + " | port = 1", ["gpsd_server"]),
    (server, guest, ["gpsd_server"]), (listener("nmea", "/s", "plotter"), listener("nmea", "/s", "kiosk"), []),
    (listener("nmea", "/s", "plotter"), listener("nmea", "/t", "plotter"), ["nmea"]),
    (listener("listen", "/s", "plotter"), listener("listen", "/s", "kiosk"), []),
    (listener("listen", "/s", "plotter"), listener("listen", "/t", "plotter"), ["listen"]),
  ] as [(String, String, [String])])
func `home_assistant and the apps of sockets and of gpsd's clients take effect without a restart, and others do not`(
  former: String, new: String, differences: [String]
) throws {
  let fixed = try configuration(socketApps + former).fixed
  #expect(try configuration(socketApps + new).fixed.differences(from: fixed) == differences)
}
