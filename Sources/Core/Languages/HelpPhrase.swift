/// What each verb does, in a line.
package enum HelpPhrase: Phrase {
  case status
  case apps
  case show
  case allow
  case deny
  case reset
  case accuracy
  case prompts
  case answer
  case regions
  case use
  case key
  case log
  case receiver
  case reload
  case page
  case lock

  package var texts: Texts {
    switch self {
    case .status:
      Texts(
        en: "how the gateway is", de: "wie es dem Gateway geht", ja: "ゲートウェイの状態", vi: "tình trạng của cổng",
        zhHans: "网关的状态")
    case .apps:
      Texts(
        en: "who may know where this is", de: "wer wissen darf, wo das hier ist", ja: "現在地を知ってよいアプリの一覧",
        vi: "ứng dụng nào được biết vị trí", zhHans: "哪些应用可以获知位置")
    case .show:
      Texts(
        en: "all about one app", de: "alles über eine App", ja: "アプリの詳細", vi: "chi tiết một ứng dụng", zhHans: "一个应用的详情"
      )
    case .allow:
      Texts(
        en: "let an app know it, while using or always", de: "einer App erlauben, beim Verwenden oder immer",
        ja: "アプリに許可する（使用中のみ／常に）", vi: "cho phép: khi sử dụng hoặc luôn luôn", zhHans: "允许应用：使用期间或始终")
    case .deny:
      Texts(
        en: "never let an app know", de: "einer App nie erlauben", ja: "アプリに許可しない", vi: "không bao giờ cho phép",
        zhHans: "永不允许应用")
    case .reset:
      Texts(
        en: "forget an app: it asks anew", de: "eine App vergessen: sie fragt neu", ja: "アプリの記録を消し、次回確認する",
        vi: "quên ứng dụng: nó sẽ hỏi lại", zhHans: "清除应用的记录，下次询问")
    case .accuracy:
      Texts(
        en: "how precisely an app may know", de: "wie genau eine App es wissen darf", ja: "アプリに知らせる位置の精度",
        vi: "độ chính xác cho ứng dụng", zhHans: "应用可获知的精度")
    case .prompts:
      Texts(
        en: "what is asked now, and next", de: "was gefragt wird, jetzt und danach", ja: "現在と次の質問",
        vi: "câu hỏi hiện tại và kế tiếp", zhHans: "当前和后续的提问")
    case .answer:
      Texts(en: "answer the question", de: "die Frage beantworten", ja: "質問に答える", vi: "trả lời câu hỏi", zhHans: "回答提问")
    case .regions:
      Texts(
        en: "the regions that are watched", de: "die überwachten Gebiete", ja: "監視中の領域", vi: "các vùng đang theo dõi",
        zhHans: "正在监视的区域")
    case .use:
      Texts(
        en: "begin use of an app for a person", de: "eine App in Gebrauch nehmen", ja: "アプリの使用を始める",
        vi: "bắt đầu dùng ứng dụng", zhHans: "开始使用应用")
    case .key:
      Texts(
        en: "make or revoke an app's key", de: "den Schlüssel einer App machen, widerrufen", ja: "アプリの鍵を作る・失効させる",
        vi: "tạo hoặc thu hồi khóa của ứng dụng", zhHans: "生成或吊销应用的密钥")
    case .log:
      Texts(
        en: "who was given the location", de: "wer den Standort bekam", ja: "位置を渡した記録", vi: "ai đã nhận vị trí",
        zhHans: "谁获得过位置")
    case .receiver:
      Texts(
        en: "how the receiver is", de: "wie es dem Empfänger geht", ja: "受信機の状態", vi: "tình trạng máy thu",
        zhHans: "接收机的状态")
    case .reload:
      Texts(
        en: "read the configuration again", de: "die Konfiguration neu lesen", ja: "設定を読み直す",
        vi: "đọc lại cấu hình", zhHans: "重新读取配置")
    case .page:
      Texts(
        en: "a link to the page, good once", de: "ein Link zur Seite, einmal gültig", ja: "ページへのリンク（1回のみ有効）",
        vi: "liên kết đến trang, dùng một lần", zhHans: "页面的链接，仅可使用一次")
    case .lock:
      Texts(
        en: "give nothing until the button is held", de: "nichts geben, bis der Knopf gehalten wird",
        ja: "長押しするまで何も渡さない", vi: "không cung cấp gì cho đến khi giữ nút", zhHans: "长按按钮之前不提供位置")
    }
  }

  /// Beside the longest verb.
  package var room: Int? { 48 }
}
