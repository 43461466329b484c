import Foundation
import Glibc
import Requirements
import Testing

/// The messages of the daemon in the journal of systemd's journald, which runs with its own `/run`.
@Suite(
  .needsNamespaces,
  .needs("apt-get install systemd", Journald.isPossible))
struct JournalTests {
  @Test func `messages have their fields and the daemon's name, and can be selected by subsystem`() async throws {
    let journald = try await Journald(
      """
      journalctl --follow --lines all --output cat | grep --max-count 1 READY >&2
      "$onefix" lock --socket /run/s >&2
      """)
    let lock = try #require(journald.entries.first { $0["MESSAGE"] == "locked by the kill switch" })
    #expect(lock["PRIORITY"] == "5" && lock["SYSLOG_IDENTIFIER"] == "onefixd")
    #expect(lock["ONEFIX_SUBSYSTEM"] == "gateway" && lock["_TRANSPORT"] == "journal")
    #expect(lock["CODE_FILE"] == "Gateway/Router+Authorization.swift" && lock["CODE_FUNC"]?.isEmpty == false)
    let opened = try #require(journald.entries.first { $0["ONEFIX_SUBSYSTEM"] == "receiver" })
    #expect(opened["MESSAGE"] == "receiver open [receiver=simulated]" && opened["ONEFIX_RECEIVER"] == "simulated")
    #expect(journald.entries.allSatisfy { $0["ONEFIX_SUBSYSTEM"] != "server" }, "it has a level of its own")
  }
}

/// The content of the journal at the end.
struct Journald {
  static let isPossible =
    ["/lib/systemd/systemd-journald", "/usr/bin/journalctl", "/usr/bin/systemd-cat", "/usr/bin/unshare"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    }

  let entries: [[String: String]]

  /// - Parameters:
  ///   - configuration: The content of `onefix.toml`.
  ///   - script: The commands that run after the start of the daemon.
  ///   - arguments: Arguments of the daemon in addition to those that every test needs.
  init(
    configuration: String = "[log]\nlevel = \"info\"\nserver = \"error\"\n", _ script: String,
    _ arguments: [String] = []
  ) async throws {
    let configuration = configuration.replacing("uid = \(getuid())\n", with: "uid = \(Namespace.user)\n")
    let words = ["bash", "-euc", Self.script(script), Program.onefixd, Program.onefix, configuration]
    let child = try Child("/usr/bin/env", Namespace.words("--mount") + words + arguments)
    let end = try await child.finish()
    try #require(end.end == .exit(0), "\(end)")
    entries = try end.output.map { line in
      let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      return fields.compactMapValues { $0 as? String }
    }
  }

  /// Returns the script with the variable that a service manager sets when standard error goes to the journal.
  private static func script(_ body: String) -> String {
    """
    onefix=$1
    configuration=$2
    shift 2
    mount --make-rprivate /
    mount -t tmpfs tmpfs /run
    mkdir -p /run/log/journal
    /lib/systemd/systemd-journald 2>/run/errors & journald=$!
    trap 'kill $journald' EXIT
    until journalctl --sync 2>/run/waiting; do kill -0 $journald; done
    printf '%s\\n' "$configuration" >/run/onefix.toml
    systemd-cat sh -c 'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"' sh \\
      "$0" --no-panel --state /run/state --socket /run/s --config /run/onefix.toml "$@" & daemon=$!
    \(body)
    kill $daemon
    wait $daemon
    journalctl --sync
    journalctl --output json SYSLOG_IDENTIFIER=onefixd
    """
  }
}
