import ArgumentParser
import Languages
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
    as: .allow, "This cannot allow single fixes, which need the button or an answer to a prompt.")
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
  @Argument(help: "full, reduced or place.") var accuracy: String
  var words: [String] { ["accuracy", app, accuracy] }
}

struct UseCommand: VerbCommand {
  static let configuration = described(
    as: .use,
    """
    While the app is in use, its authorization while-using permits fixes without a press. Use lasts at most 15 \
    minutes. The command itself gives no fix, and does not change the authorization.
    """
  )
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["use", app] }
}

struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Create or revoke the key with which an app authenticates.",
    discussion: "For apps that connect over a network and have key = true in onefix.toml.",
    subcommands: [AddKeyCommand.self, RevokeKeyCommand.self])
}

struct AddKeyCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Create a key for an app, replace the previous one, and show it once.",
    discussion: "Closes connections that use the previous key.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Flag(help: "Create a token, which the app sends over TLS only, instead of a key, which is never sent.") var token =
    false
  var words: [String] { ["key", "add", app] + (token ? ["token"] : []) }
}

struct RevokeKeyCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke the key and token of an app, and close connections that use them.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  var words: [String] { ["key", "revoke", app] }
}

struct AnswerCommand: VerbCommand {
  static let configuration = described(
    as: .answer,
    """
    As in  onefix answer while-using  or  onefix answer 3 once reduced: without a number, it answers the open \
    question. Exit status: 0 answered, 6 the question is no longer open.
    """)
  @OptionGroup var options: OwnerOptions
  @Argument(
    help: "The number of the question (optional), the answer, and the accuracy (optional): full, reduced or place.")
  var answer: [String]
  var words: [String] { ["answer"] + answer }
}

struct RegionsCommand: VerbCommand {
  static let configuration = described(as: .regions)
  @OptionGroup var options: OwnerOptions
  @Argument var app: String?
  var words: [String] { ["regions"] + (app.map { [$0] } ?? []) }
}

struct PlaceCommandGroup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "place", abstract: "Name places, and allow apps to know their names.",
    discussion: "For apps with the accuracy place. They receive the name of a place, and no position.",
    subcommands: [
      AddPlaceCommand.self, RemovePlaceCommand.self, ListPlacesCommand.self, AllowPlaceCommand.self,
      DenyPlaceCommand.self,
    ])
}

struct AddPlaceCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a place, or replace the place with this name.",
    discussion: """
      Without --at, the centre is the present position of the device. Other users of this machine can read the \
      arguments of a command while it runs, but not its standard input.
      """)
  @OptionGroup var options: OwnerOptions
  @Argument(help: "1 to 32 letters, digits, dots, dashes or underscores.") var name: String
  @Option(help: "The radius in metres, at least 100.") var radius: String
  @Option(
    parsing: .unconditional,
    help: "The centre as LATITUDE,LONGITUDE in degrees, or - to read it as a line from standard input.")
  var at: String?
  var words: [String] {
    let centre = at == "-" ? readLine() ?? "" : at
    return ["place", "add", name, radius]
      + (centre?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? [])
  }
}

struct RemovePlaceCommand: VerbCommand {
  static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a place.")
  @OptionGroup var options: OwnerOptions
  @Argument var name: String
  var words: [String] { ["place", "remove", name] }
}

struct ListPlacesCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the places and the apps that may know their names, without coordinates.")
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["place", "list"] }
}

struct AllowPlaceCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Allow an app to know the names of these places.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Argument var names: [String]
  var words: [String] { ["place", "allow", app] + names }
}

struct DenyPlaceCommand: VerbCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "No longer allow an app to know these names; without names, any name.")
  @OptionGroup var options: OwnerOptions
  @Argument var app: String
  @Argument var names: [String] = []
  var words: [String] { ["place", "deny", app] + names }
}

struct ReceiverCommand: VerbCommand {
  static let configuration = described(as: .receiver)
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["receiver"] }
}

struct ReloadCommand: VerbCommand {
  static let configuration = described(
    as: .reload, "If the file has an error, nothing changes. Settings that need a restart are listed.")
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["reload"] }
}

struct PageCommand: VerbCommand {
  static let configuration = described(
    as: .page,
    "For a browser on this machine, within two minutes. The browser has the rights of an owner until you leave."
  )
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["page"] }
}

struct LockCommand: VerbCommand {
  static let configuration = described(as: .lock, "Only the button unlocks.")
  @OptionGroup var options: OwnerOptions
  var words: [String] { ["lock"] }
}
