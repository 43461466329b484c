import ArgumentParser
import OwnerVerbs

struct StatusCommand: VerbCommand {
  static let configuration = described(as: .status)
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["status"] }
}

struct AppsCommand: VerbCommand {
  static let configuration = described(as: .apps)
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["apps"] }
}

struct ShowCommand: VerbCommand {
  static let configuration = described(as: .show)
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["show", app] }
}

struct AllowCommand: VerbCommand {
  static let configuration = described(
    as: .allow, "One fix cannot be allowed so: that is what the button is for, and the answer to a question.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Argument(help: "while-using or always.") var allowance: String = "while-using"
  var words: [String] { ["allow", app, allowance] }
}

struct DenyCommand: VerbCommand {
  static let configuration = described(as: .deny)
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["deny", app] }
}

struct ResetCommand: VerbCommand {
  static let configuration = described(as: .reset)
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["reset", app] }
}

struct AccuracyCommand: VerbCommand {
  static let configuration = described(as: .accuracy)
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Argument(help: "full or reduced.") var accuracy: String
  var words: [String] { ["accuracy", app, accuracy] }
}

struct UseCommand: VerbCommand {
  static let configuration = described(
    as: .use, "As if a person had pressed for it: it lasts 15 minutes at most, and changes nothing of what it may know."
  )
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["use", app] }
}

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make or revoke the key by which an app proves itself.",
    discussion: "For apps that connect over a network and have key = true in onefix.toml.",
    subcommands: [AddKeyCommand.self, RevokeKeyCommand.self])
}

struct AddKeyCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make an app's key, in place of the one it had, and show it this once.",
    discussion: "Who is connected by the former key is sent away.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Flag(help: "A token that is said as it is, over TLS only, instead of a key that is never said.") var token = false
  var words: [String] { ["key", "add", app] + (token ? ["token"] : []) }
}

struct RevokeKeyCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take an app's key and token away, and send away who is connected by them.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["key", "revoke", app] }
}

struct AnswerCommand: VerbCommand {
  static let configuration = described(
    as: .answer,
    """
    As in  onefix answer while-using  or  onefix answer 3 once reduced: without a number it is the question that is \
    open. Exit status: 0 answered, 6 it is not open any more.
    """)
  @OptionGroup var options: OwnerOptions
  @Argument(help: "The question's number, the answer, and full or reduced.") var answer: [String]
  var words: [String] { ["answer"] + answer }
}

struct RegionsCommand: VerbCommand {
  static let configuration = described(as: .regions)
  @OptionGroup var options: OwnerOptions
  @Argument var app: String?
  var words: [String] { ["regions"] + (app.map { [$0] } ?? []) }
}

struct ReceiverCommand: VerbCommand {
  static let configuration = described(as: .receiver)
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["receiver"] }
}

struct ReloadCommand: VerbCommand {
  static let configuration = described(
    as: .reload, "It holds as a whole, or nothing changes. What holds from the next start on only is named.")
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["reload"] }
}

struct PageCommand: VerbCommand {
  static let configuration = described(
    as: .page,
    "For a browser on this machine, within two minutes. Whoever opens it is an owner until the page is left.")
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["page"] }
}

struct LockCommand: VerbCommand {
  static let configuration = described(as: .lock, "Only the button unlocks.")
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["lock"] }
}
