import Foundation
import Glibc
import Testing

extension Daemon {
  /// Runs a command with `--json` and returns the objects that it printed.
  fileprivate func objects(_ words: String...) async throws -> [[String: Any]] {
    let finished = try await begin(words + ["--json"]).finish()
    try #require(finished.end == .exit(0), "\(finished.errors)")
    return try finished.output.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }
}

@Suite struct OwnerVerbTests {
  @Test func `the first answer decides: onefix answer is accepted, and onefix prompts shows that an owner answered`()
    async throws
  {
    try await Daemon.with { daemon in
      let watch = try daemon.begin("prompts", "--watch", "--json")
      let person = try daemon.begin("prompts", "--watch", "--language", "de")
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "SUB authorization mine")
      #expect(try await app.reply(to: "AUTHORIZE when-in-use purpose=To warn of shallows").contains("state=asking"))
      try await watch.printed(#""kind":"authorize""#, #""state":"open""#)
      // A client that subscribes after the answer receives nothing.
      try await person.printed("  peer sagt: „To warn of shallows“")
      let answer = try await daemon.onefix("answer", "1", "while-using", "reduced", "--language", "en")
      #expect(answer.end == .exit(0), "\(answer.errors)")
      #expect(answer.output == ["peer: While using, approximate"])
      _ = try await app.next { $0.contains(#""status":"whenInUse","accuracy":"reduced""#) }
      let record = #""says":"To warn of shallows","language":"en","by":"socket","user":\#(getuid())}"#
      #expect(try await daemon.onefix("log", "--json").output.first?.hasSuffix(record) == true)
      #expect(try await daemon.onefix("log", "--verify").end == .exit(0))
      let event = try await watch.printed(#""state":"yes""#)
      #expect(event.contains(#""by":"owner""#) && event.contains(#""prompt":1,"#))
      try await person.printed("peer: von jemand anderem beantwortet: ja")
      let late = try await daemon.onefix("answer", "no", "--language", "en")
      #expect(late.end == .exit(6) && late.errors == ["onefix: No question is open."])
      for child in [watch, person] { child.kill(SIGINT) }
      #expect(try await watch.finish().end == .signal(SIGINT))
    }
  }

  @Test func `onefix prompts --watch says when the daemon does not answer, and when the daemon answers again`()
    async throws
  {
    try await Daemon.with { daemon in
      let watch = try daemon.begin("prompts", "--watch", "--language", "en")
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "AUTHORIZE when-in-use")
      try await watch.printed("peer")
      daemon.process.kill(SIGSTOP)
      try await watch.reported("The gateway no longer answers.")
      daemon.process.kill(SIGCONT)
      try await watch.reported("The gateway answers again.")
      watch.kill(SIGINT)
      let reports = try await watch.finish().errors
      #expect(reports == ["onefix: The gateway no longer answers.", "onefix: The gateway answers again."])
    }
  }

  @Test func `a command whose output cannot be written says why and ends with 74, also after the one fix of a press`()
    async throws
  {
    try await Daemon.with(authorizing: "peer") { daemon in
      func onFullDisk(_ words: [String]) throws -> Child {
        try Child(
          "/bin/sh", ["-c", "exec \"$0\" \"$@\" >/dev/full", Program.onefix] + words,
          environment: ["ONEFIX_SOCKET": daemon.socket])
      }
      let cause =
        "onefix: cannot write the standard output: no space left on the device (free some space)"
      for words in [
        ["status"], ["apps", "--json"], ["log"], ["log", "--json"], ["log", "--csv"], ["log", "--verify"], ["report"],
        ["report", "--html", "-"], ["metrics"],
      ] {
        let finished = try await onFullDisk(words).finish()
        #expect(finished.end == .exit(74) && finished.errors == [cause], "\(words): \(finished)")
      }
      let request = try onFullDisk(["request", "--app", "peer"])
      try await daemon.press(untilEndOf: request)
      let finished = try await request.finish()
      #expect(finished.end == .exit(74) && finished.errors.last == cause, "\(finished)")
    }
  }

  @Test func `onefix prompts --watch ends without a message after the reader of its output has closed the pipe`()
    async throws
  {
    try await Daemon.with { daemon in
      // The reader closes the pipe before it shows the question, so the answer has no reader.
      let script = """
        set -o pipefail
        "$0" prompts --watch --json | { read -r question; exec <&-; echo "$question"; }
        """
      let watch = try Child(
        "bash", ["-c", script, Program.onefix], environment: ["ONEFIX_SOCKET": daemon.socket])
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "AUTHORIZE when-in-use")
      try await watch.printed(#""state":"open""#)
      try await daemon.onefix("answer", "1", "no")
      let finished = try await watch.finish()
      #expect(finished.end == .exit(0) && finished.errors == [], "\(finished)")
    }
  }

  @Test func `the app sees the effect when an owner allows, denies, reduces or forgets it`() async throws {
    try await Daemon.with { daemon in
      let app = try await Peer.connected(daemon)
      _ = try await app.reply(to: "SUB authorization mine")
      let steps: [(words: [String], received: String, seen: String)] = [
        (["allow", "peer"], "peer: While using, precise", #"{"status":"whenInUse","accuracy":"full"}"#),
        (
          ["accuracy", "peer", "reduced"], "peer: While using, approximate",
          #"{"status":"whenInUse","accuracy":"reduced"}"#
        ),
        (["allow", "peer", "always"], "peer: Always, approximate", #"{"status":"always","accuracy":"reduced"}"#),
        (["deny", "peer"], "peer: Never", #"{"status":"denied","accuracy":"reduced"}"#),
        (["reset", "peer"], "peer: Ask next time, precise", #"{"status":"notDetermined","accuracy":"full"}"#),
      ]
      for (words, received, seen) in steps {
        let finished = try await daemon.begin(words + ["--language", "en"]).finish()
        #expect(finished.end == .exit(0) && finished.output == [received], "\(words): \(finished)")
        _ = try await app.next { $0.hasPrefix("MSG authorization mine") && $0.contains(seen) }
      }
      #expect(try await app.reply(to: "REQ once") == "+OK state=awaiting-press")
      let shown = try #require(try await daemon.objects("show", "peer").first)
      #expect(shown["shown"] as? String == "when-i-share" && shown["armed"] as? Bool == true)
      // Configured apps are listed before their first connection.
      #expect(try await daemon.objects("apps").compactMap { $0["app"] as? String } == ["onefix", "other", "peer"])
    }
  }

  @Test func `texts follow the locale of the user, and lock is a command`() async throws {
    try await Daemon.with { daemon in
      let environment = [
        "ONEFIX_SOCKET": daemon.socket, "LC_ALL": "", "LC_MESSAGES": "ja_JP.UTF-8", "LANG": "de_DE.UTF-8",
      ]
      let shown = try await Child(Program.onefix, ["show", "peer"], environment: environment).finish()
      #expect(shown.output.contains("位置情報  次回確認"), "\(shown)")
      #expect(try await daemon.objects("lock").first?["locked"] as? String == "true")
      #expect(try await daemon.status()["locked"] == "true")
      #expect(try await daemon.hold() == "unlocked")
    }
  }
}
