import Base
import LineProtocol

/// Formats the output of the console command `help`.
extension ConsoleSession {
  private struct Entry {
    var name: String
    var usage: String
    var text: String
  }

  private func entries() -> [Entry] {
    VerbRow.verbs.map {
      Entry(name: $0, usage: VerbRow.usage(of: $0), text: VerbPhrase($0).text(in: settings.language))
    } + [
      Entry(name: LocalVerb.help.rawValue, usage: "help [VERB]", text: phrase(.help)),
      Entry(name: LocalVerb.quit.rawValue, usage: "quit", text: phrase(.quit)),
    ]
  }

  func help(for words: [String]) -> [String] {
    let wanted = Set(words.map { $0.lowercased() })
    let entries = wanted.isEmpty ? entries() : entries().filter { wanted.contains($0.name) }
    if entries.isEmpty, let first = words.first {
      return [VerbError(nil, .unknown(first, nearest: nil)).text(in: settings.language)]
    }
    let width = entries.map { Columns.width(of: $0.usage) }.max() ?? 0
    let room = settings.columns - 1
    return entries.flatMap { entry -> [String] in
      // If fewer than 20 columns remain beside the syntax of a command, the help text stands below the syntax.
      guard width + 22 <= room else { return [entry.usage] + Columns.wrapped("  \(entry.text)", to: room, indent: 2) }
      return Columns.wrapped("\(Columns.padded(entry.usage, to: width))  \(entry.text)", to: room, indent: width + 2)
    }
  }
}
