// The phrases in the table `texts.tsv`, which has their texts. Comments at the cases explain the texts to translators.

/// Texts for the accuracy of the fixes that an app may receive. The raw values are the words of the text protocol.
package enum AccuracyPhrase: String, Phrase {
  case full, reduced, place

  package var room: Int? { 12 }
}

/// Texts that explain the effect of a press and of a hold of the button while a prompt (a question to the user) is
/// open.
package enum AnswerPhrase: Phrase {
  case pressAgain, press, once, onceOrTwice, unchanged, refused
  /// The next press of the button answers the question of the prompt.
  case answers
  /// The next press of the button does not answer the question, but gives a position to a waiting app.
  case serves
  /// The button cannot answer the question of the prompt.
  case elsewhere
  /// The reason why the next press of the button does not answer the question. In the order of the cases: another
  /// button must answer, another question is first, a fix for an earlier press is not delivered, or the ten seconds for
  /// an answer are over.
  case anotherButton, anotherQuestion, afterFix, timeOver
  case hold
  /// A hold (a long press) answers the question of the prompt with "no" and stops all sharing of positions.
  case holdAndStop
  /// A hold (a long press) stops all sharing of positions, but does not answer the question of the prompt.
  case stop

  /// The maximum width of the text in columns of a terminal. A label is printed to the left of the text.
  package var room: Int? { 68 }
}

/// Texts about apps: their state, authorization, accuracy and keys.
package enum AppPhrase: Phrase {
  case app, name, status, accuracy, now, sessions, pause, inUse, waits, next, fixes, backgroundFixes, idle, provisional
  /// The title of the display's card about the app that gets a fix at the next press of the button.
  case waitsForPress
  case noApps, isNow, used, unused, forgotten, keyMade, tokenMade
  /// The label of the end of a temporary authorization from an owner.
  case until
  /// An authorization (`{value}`) and its end, for example "Always until 14:30".
  case endsAt
  /// The authorization that applies again after a temporary authorization.
  case afterwards
}

/// Texts for the possible answers to a prompt (a question to the user). The raw values are the words of the text
/// protocol.
package enum ChoicePhrase: String, Phrase {
  case yes, once, whileUsing = "while-using", always, keep, no

  package var room: Int? { 20 }
}

/// Texts of the console, on which an owner types commands.
package enum ConsolePhrase: Phrase {
  case wrongPIN, wait, greeting, ended, idle, gatewayLost, gatewayFound, noAnswer, help, quit

  package var room: Int? {
    switch self {
    // The description is printed beside the name of the command.
    case .help, .quit: 48
    case .wrongPIN, .wait, .greeting, .ended, .idle, .gatewayLost, .gatewayFound, .noAnswer: nil
    }
  }
}

/// The reasons why the gateway refused a command of an owner.
package enum FailurePhrase: Phrase {
  case noSuchApp
  /// An owner wanted to give a temporary authorization that the app already has without an end.
  case noEnd
  case noKey, noPage, noSuchChoice, nothingAsked, tooLate
  /// An owner answered too soon after a prompt appeared. The placeholder `{text}` stands for the identifier and the
  /// text of the prompt's question.
  case promptTooRecent
  case locked, tooFast, store, ending, other
}

/// Texts about the gateway as a whole: its state, connections, outputs, log and warnings.
package enum GatewayPhrase: Phrase {
  case gateway, onBoard, light, off, acquiring, inUse, background, prompt, locked, nothingWaiting, notSaved, unsaved,
    question, waiting, eachPress, next, nextOfButton
  /// The label before a `PressPhrase`, which tells the effect of the latest press of the button.
  case lastPress
  /// The time in which a user can still answer a question.
  case left
  case connections, broker, brokerThere, brokerAway, brokerAwayUntimed, brokerUnverified
  case output, outputReady, outputAway
  case listener, listenerClosed, listenerClosedSince, appOff, appWithoutUser
  case log, logUnchecked, logGood, logFailing, logUnreadable, logBroken
  case fault, warnings
}

/// Texts of the disclosure log, which records every release of location data.
package enum LogPhrase: Phrase {
  case time, entry, what, once, byRight, fromNowOn, simulated, late, acknowledged, sent
  /// The app was notified that the device crossed the border of a region, but received no fix.
  case border
  case borderTold, expired, erased, postponed, lost, ended, endedAfterOne, stopped, outOfUse, revoked, locked, indicator
  case shutdown, endLost, noEntries
  /// A user answered a prompt (a question about an app).
  case answer, answerWithPurpose, atButton, atConsole, onPage, byUser
  /// A temporary authorization (`{value}`) has ended. `{text}` stands for the authorization that applies again.
  case rightEnded
}

/// Notifications to owners: about questions to the user, about regions, and about the kill switch that stops all
/// sharing of positions.
package enum NotificationPhrase: Phrase {
  /// The notification quotes a text that comes from an app.
  case says
  case answerWith, answerWithAccuracy, nothingAsked, yesAtButton, noAtButton, yesByOwner, noByOwner, unanswered
  case withdrawn, locked, answered, entered, left
  /// A temporary authorization has ended. `{value}` stands for the authorization that applies again.
  case rightEnded
  case reloaded, restartFor
}

/// Texts on the owners' web page and about this page. The HTML document refers to each text by the name of its case.
package enum PagePhrase: Phrase {
  /// The text after the link to the owners' web page. `{count}` stands for a count of minutes.
  case linkMade
  case skip, needsScript, needsLink, linkRefused, sessionOver, connecting, connected, lost, failed, leave, questions
  case state, lockNow, lockMeans, apps, apply
  /// The label of the time after which an authorization ends, and the choice of no end.
  case duration, withoutEnd
  case entries, report, showReport, news, noPosition
  /// The accessible name of the group of links to the sections of the page.
  case sections
  /// The buttons for the next newer and the next older page of the log.
  case newer, older
  /// The heading of the local times in the log.
  case localTime
}

/// Texts of the simulated board, which shows its LED, buttons and display in a terminal.
package enum PanelPhrase: Phrase {
  case button
  /// Whether the simulated button is released (`up`) or pressed (`down`). The text follows the label `button`.
  case up, down
  /// The explanation of the keyboard keys. The letters are the same in every language.
  case keys
  /// The explanation of the keyboard key that lets an app ask again at once, although its previous question had no
  /// answer.
  case askAgain
  /// The terminal window is too small. `{value}` stands for the required columns and rows.
  case tooSmall
}

/// Texts about the places that an owner has named. The texts contain no positions.
package enum PlacePhrase: Phrase {
  case place, knownTo, noPlaces
}

/// The effect of the latest press or hold of the button, after a label such as "Last press". The raw values are the
/// words of the text protocol.
package enum PressPhrase: String, Phrase {
  /// The press is for an app, and the receiver has no fix for this app yet.
  case acquiring
  case served
  case noFix = "no-fix"
  /// The press opened a question to the user.
  case asked
  /// The press opened a question. The user did not answer the question in time.
  case unanswered
  /// The press opened a question that was closed, for example because the app no longer waits.
  case withdrawn
  case allowed, kept, denied
  /// The press came less than one second after an app began to wait or a question appeared, so the press had no effect.
  case tooEarly = "too-early"
  case nothingWaiting = "nothing-waiting"
  /// No other app waited, and the waiting app may not ask again yet, because its earlier question had no answer.
  case paused
  /// An app waits, but for a press of another button.
  case otherButton = "other-button"
  /// The fix for an earlier press is not delivered yet, or was delivered less than two seconds ago.
  case repeated
  case restricted
  /// The press had no effect, because the kill switch is on.
  case whileLocked = "while-locked"
  case lightUnseen = "light-unseen"
  /// A hold of the button turned the kill switch on: nothing is shared now.
  case locked
  /// A hold of the button turned the kill switch off.
  case unlocked
}

/// The questions that the gateway asks the user in prompts.
package enum PromptPhrase: Phrase {
  case confirm, introduce, authorize, upgrade, always, precise

  /// The maximum width of the text: 80 columns of a terminal. The longest app name takes 40 columns.
  package var room: Int? { 80 }
}

/// Texts about the satellite receiver.
package enum ReceiverPhrase: Phrase {
  case receiver, off, absent, starting, acquiring, ready, satellites, source, latest, fresh, old, frames, errors
  case rejectedFields, unknownFields, wakeUps
  /// The signals of the satellites. `{count}` stands for the count of used satellites, `{number}` for the count of
  /// satellites in view, and `{value}` for the strength of the best signal.
  case signals
  case settings, model, asking, pending, applied, partly, refused, unanswered, unansweredSettings, dateCorrected
  case lineFull
  case attack
  case contradiction
}

/// Texts about regions. The texts contain no positions.
package enum RegionPhrase: Phrase {
  case region, radius, events, state, text, enter, exit, inside, outside, unknown, noRegions
}

/// The outcomes of fixes in the privacy report. The raw values are the words of the disclosure log.
package enum OutcomePhrase: String, Phrase {
  /// The app confirmed that it received the fix.
  case acknowledged
  case sent, expired
  /// The gateway removed the fix before sending it, because the owner or the user ended the sharing.
  case erased
  case lost
  /// The outcome is not known yet.
  case open
}

/// The reasons in the privacy report why a request got no fix. The raw values are the words of the text protocol.
package enum RefusalPhrase: String, Phrase {
  case noPress = "no-press", cancelled, rateLimited = "rate-limited", alreadyArmed = "already-armed"
  case noFix = "no-fix", receiverAbsent = "receiver-absent", indicator, store, denied, restricted, locked, expired
  case notDetermined = "not-determined", notInUse = "not-in-use", tooMany = "too-many", notSaved = "not-saved"
  case shuttingDown = "shutting-down"
}

/// Texts of the privacy report.
package enum ReportPhrase: Phrase {
  case title, requests, range, noPositions, log
  /// The state of a log that was changed by another program.
  case broken
  /// The summary of the log. `{value}` stands for its state, `{count}` for the count of its entries, and `{text}` for
  /// their sequence numbers.
  case entries
  case noApps, timeline
  /// The label of the count of requests of an app.
  case asked
  /// The heading of the fixes that an app received.
  case given
  /// The heading of the transports over which fixes were sent: a socket, a broker, a file and so on.
  case transport
  case outcome, notGiven, lastGiven, never
  /// An app received fixes continuously.
  case followed
  /// `{count}` stands for the count of periods with continuous fixes whose duration is unknown.
  case unknownLength
  /// An app was notified that the device crossed the border of a region.
  case border
  /// The legend of the timeline's symbol for requests without a fix. The requests are counted by day.
  case noFixOfDay
  case noFixOfHour
  case answered, answer, by, languageShown, purposeShown
}

/// Texts for the authorization status of an app. The raw values are the words of the text protocol.
package enum StatusPhrase: String, Phrase {
  case never, askNextTime = "ask-next-time", whenIShare = "when-i-share", whileUsing = "while-using", always
  /// The owner's configuration forbids this app every location.
  case restricted

  package var room: Int? { 20 }
}

/// Texts of `onefix top`, the full-screen terminal view for owners.
package enum TopPhrase: Phrase {
  case apps, sky, away, help, allowAlways, allowWhileUsing, neverAllow, forget, lockNow, makeKey, makeToken, revokeKey
  /// The explanation of the key `e`, which changes the duration of the authorization that an answer gives. `{value}`
  /// stands for this duration, for example `2h`.
  case endsAfter, endsNever
  case reloadNow, undone, readFirst, noApp, busy, tooSmall, button, choose, newKey, oldKey, answerPrecision, anyKey
  case part, press, hold, redraw, end, legend
}

/// Texts for errors in a command that an owner typed.
package enum VerbErrorPhrase: Phrase {
  case empty, unknown, unknownNearest, noApp, noValue, noChoice, badApp, badNumber, badCount, badValue, badValueNearest
  case badPlace, badDecimal
  /// The duration in a command is invalid. `1m`, `30d`, `90m`, `2h` and `7d` are words that an owner types.
  case badDuration
  case surplus, accuracyOfNo, usage
}

/// The description of an owner's command in one line of text.
package struct VerbPhrase: NamedPhrase {
  package let description: String

  package init(_ verb: String) { description = verb }

  /// The maximum width of a description in columns of a terminal. The description is printed beside the name of the
  /// command.
  package var room: Int? { 48 }
}

/// The message after an owner's command without any other result. The identifier of the phrase is the name of the
/// command.
package struct DonePhrase: NamedPhrase {
  package let description: String

  package init(_ command: String) { description = command }
}
