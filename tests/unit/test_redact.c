/*
 * Redaction: every kind with a hit and a near miss, exact values, and chunks that make no difference. Tokens
 * are put together here so that no text of the tree looks like one.
 */
#include "base/utf8.h"
#include "result/normalise.h"
#include "result/redact.h"
#include "sys/file.h"
#include "unit.h"

static struct arena a;

static const struct str values[] = {{"hunter2-hunter2", 15}, {"short", 5}, {"hunter2-hunter2-long", 20},
		{" blanks around \n", 16}, {"p@ss/w\"rd & co+1", 16}};

/* Letters and digits, as many as are asked for. */
static struct str of(const char *alphabet, size_t n)
{
	struct buf b;

	buf_init(&b, &a, 0);
	for (size_t i = 0; i < n; i++)
		buf_char(&b, alphabet[i * 7 % strlen(alphabet)]);
	return buf_view(&b);
}
#define LETTERS "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z0"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
#define HEX "0123456789abcdef"

static struct str pieces(struct str text, size_t piece, uint64_t *ret)
{
	struct redactor *r = redactor_new(&a, values, ARRAY_SIZE(values));
	struct buf out;

	buf_init(&out, &a, 0);
	for (size_t i = 0; i < text.n; i += piece)
		redactor_feed(r, str_sub(text, i, i + piece), &out);
	redactor_end(r, &out);
	*ret = redactor_count(r);
	return buf_view(&out);
}

/* Each piece of whole characters gives whole characters, though its end is held back. */
static void test_characters(void)
{
	static const char *const texts[] = {"\u20ac\u20ac\u20ac\u20ac", "a\u00e9b\u00e9c\u00e9d",
			"\U0001f600\U0001f600x\U0001f600", "\ufffd\ufffd ghp \ufffd"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct redactor *r = redactor_new(&a, values, ARRAY_SIZE(values));
		struct str text = str_of(texts[i]);
		struct buf all;

		buf_init(&all, &a, 0);
		for (size_t at = 0, from = 0; at < text.n; from = at) {
			struct buf out;

			utf8_next(text, &at);
			buf_init(&out, &a, 0);
			redactor_feed(r, str_sub(text, from, at), &out);
			CHECK(utf8_valid(buf_view(&out)));
			buf_str(&all, buf_view(&out));
		}
		redactor_end(r, &all);
		CHECK_STR(buf_view(&all), texts[i]);
	}
}

static struct str clean(struct str text, uint64_t *ret)
{
	static const size_t sizes[] = {1, 2, 5, 33, 1000};
	struct redactor *r = redactor_new(&a, values, ARRAY_SIZE(values));
	struct str s = redact_text(&a, r, text, ret);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t n;

		CHECK_STRN(pieces(text, sizes[i], &n), s);
		CHECK_INT(n, *ret);
	}
	return s;
}

static void test_tokens(void)
{
	static const struct {
		const char *kind, *prefix, *alphabet;
		size_t n;
	} rows[] = {
		{"aws-key", "AKIA", UPPER, 16}, {"aws-key", "ASIA", UPPER, 16},
		{"azure-key", "AccountKey=", LETTERS, 86}, {"google-key", "AIza", LETTERS, 35},
		{"google-token", "ya29.", LETTERS, 60},
		{"google-secret", "GOCSPX-", LETTERS, 28}, {"github-token", "ghp_", LETTERS, 36},
		{"github-token", "ghs_", LETTERS, 36}, {"github-token", "github_pat_", LETTERS, 82},
		{"gitlab-token", "glpat-", LETTERS, 20},
		{"slack-token", "xoxb-", LETTERS, 40}, {"slack-webhook", "hooks.slack.com/services/", LETTERS,
				44}, {"stripe-key", "sk_live_", LETTERS, 24},
				{"anthropic-key", "sk-ant-", LETTERS, 90},
		{"openai-key", "sk-proj-", LETTERS, 48}, {"openai-key", "sk-", LETTERS, 48},
		{"huggingface-token", "hf_", LETTERS, 34}, {"npm-token", "npm_", LETTERS, 36},
		{"pypi-token", "pypi-AgE", LETTERS, 100},
		{"docker-token", "dckr_pat_", LETTERS, 27}, {"sendgrid-key", "SG.", LETTERS, 66},
		{"mailgun-key", "key-", HEX, 32}, {"databricks-token", "dapi", HEX, 32},
		{"digitalocean-token", "dop_v1_", HEX, 64},
		{"shopify-token", "shpat_", HEX, 32}, {"linear-key", "lin_api_", LETTERS, 40},
		{"newrelic-key", "NRAK-", UPPER, 27}, {"vault-token", "hvs.", LETTERS, 90},
		{"supabase-token", "sbp_", HEX, 40},
		{"age-key", "AGE-SECRET-KEY-1", UPPER, 58}, {"bearer", "Bearer ", LETTERS, 40},
		{"basic-auth", "Authorization: Basic ", LETTERS, 24}, {"pulumi-token", "pul-", HEX, 40},
		{"doppler-token", "dp.pt.", LETTERS, 43},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str token = str_fmt(&a, "%s%.*s", rows[i].prefix,
				STR_ARG(of(rows[i].alphabet, rows[i].n)));
		uint64_t n;

		CHECK_STRN(clean(str_fmt(&a, "a %.*s, b\n", STR_ARG(token)), &n),
				str_fmt(&a, "a [redacted:%s], b\n", rows[i].kind));
		CHECK_ROW(n == 1, rows[i].prefix);
		/* the prefix alone, and a word that only ends like it */
		token = str_fmt(&a, "a %s, b %sx\n", rows[i].prefix, rows[i].prefix);
		CHECK_STRN(clean(token, &n), token);
	}
}

static void test_shapes(void)
{
	uint64_t n;
	struct str jwt = str_fmt(&a, "eyJ%.*s.eyJ%.*s.%.*s", STR_ARG(of(LETTERS, 20)),
			STR_ARG(of(LETTERS, 50)), STR_ARG(of(LETTERS, 43)));
	struct str aws = str_fmt(&a, "AWS_SECRET_ACCESS_KEY=\"%.*s\"\n", STR_ARG(of(LETTERS, 40)));

	CHECK_STR(clean(str_fmt(&a, "t=%.*s\n", STR_ARG(jwt)), &n), "t=[redacted:jwt]\n");
	CHECK_STR(clean(STR("eyJhbGciOi.x.y eyJ\n"), &n), "eyJhbGciOi.x.y eyJ\n");
	CHECK_STR(clean(aws, &n), "AWS_SECRET_ACCESS_KEY=\"[redacted:aws-secret]\"\n");
	CHECK_STR(clean(STR("aws_secret_access_key = see the vault\n"), &n),
			"aws_secret_access_key = see the vault\n");
	CHECK_STR(clean(STR("postgres://joe:s3cr3t@db:5432/x\n"), &n),
			"postgres://joe:[redacted:url-password]@db:5432/x\n");
	CHECK_STR(clean(STR("redis://:s3cr3t@db\n"), &n), "redis://:[redacted:url-password]@db\n");
	CHECK_STR(clean(STR("https://x.y:8080/a@b https://joe@x.y http://u:$PW@h http://u:****@h\n"), &n),
			"https://x.y:8080/a@b https://joe@x.y http://u:$PW@h http://u:****@h\n");
	CHECK_INT(n, 0);
	/* an uneven number of letters: not the token, but something longer */
	CHECK_STRN(clean(str_fmt(&a, "AKIA%.*s\n", STR_ARG(of(UPPER, 17))), &n),
			str_fmt(&a, "AKIA%.*s\n", STR_ARG(of(UPPER, 17))));
	CHECK_STRN(clean(str_fmt(&a, "monkey-%.*s\n", STR_ARG(of(HEX, 32))), &n),
			str_fmt(&a, "monkey-%.*s\n", STR_ARG(of(HEX, 32))));
	CHECK_STR(clean(STR("Bearer authentication-is-required\n"), &n),
			"Bearer authentication-is-required\n");
	CHECK_STR(clean(STR("Basic information about the box\n"), &n), "Basic information about the box\n");
}

#define BEGIN "-----BEGIN RSA PRIV" "ATE KEY-----"
#define END "-----END RSA PRIV" "ATE KEY-----"

#define WORDS64 "MIIEpAIBAAKCAQEA7bq0n3cVbq0n3cV7bq0n3cVMIIEpAIBAAKCAQEA7bq0n3cVb"

/* A person decides about the text: marks hide nothing that a shell could run. */
static void test_command(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"x; : " BEGIN "; echo pwned > src.c; : " END, "x; : " BEGIN "; echo pwned > src.c; : " END},
		{"x; : " BEGIN "\nreboot\n" END, "x; : " BEGIN "\nreboot\n" END},
		{"echo '" BEGIN "\n" WORDS64 "\n" WORDS64 "\n" END "' > k",
				"echo '[redacted:private-key]' > k"},
		{"echo '" BEGIN "\\n" WORDS64 "\\n" END "' > k", "echo '[redacted:private-key]' > k"},
		{"echo '" BEGIN "\n" WORDS64 "\nabc=\n" END "' > k", "echo '[redacted:private-key]\nabc=\n"
				END "' > k"},
		{"x " BEGIN " " WORDS64 "; reboot; " END, "x [redacted:private-key]; reboot; " END},
		{"curl http://a:1;reboot;@b", "curl http://a:1;reboot;@b"},
		{"curl http://a:s3cr3t@b", "curl http://a:[redacted:url-password]@b"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(redact_command(&a, redactor_new(&a, NULL, 0), str_of(rows[i].text)), rows[i].shown);
}

static void test_pem(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"x\n" BEGIN "\n" WORDS64 "\nMIIE+/=\n" END "\ny\n", "x\n[redacted:private-key]\ny\n"},
		{BEGIN "\nMIIEabc=\n" END "\n", "[redacted:private-key]\n"},
		{"{\"k\": \"" BEGIN "\\n" WORDS64 "\\nMIIE\\n" END "\\n\"}\n",
				"{\"k\": \"[redacted:private-key]\\n\"}\n"},
		{"  " BEGIN "\n  " WORDS64 "\n  MIIE\n  " END "\n", "  [redacted:private-key]\n"},
		{BEGIN "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n" WORDS64 "\nMIIE\n" END "\n",
				"[redacted:private-key]\n"},
		/* its end is missing: key material goes, the lines after it stay */
		{BEGIN "\n" WORDS64 "\n" WORDS64 "\nand this is text\n",
				"[redacted:private-key]\nand this is text\n"},
		{BEGIN "\nProc-Type: 4,ENCRYPTED\n\n" WORDS64, "[redacted:private-key]"},
		{BEGIN "\n" WORDS64 "\n" BEGIN "\n" WORDS64 "\n" END "\n",
				"[redacted:private-key]\n[redacted:private-key]\n"},
		/* marks around output hide nothing */
		{BEGIN "\nFAILED\ntest_one\nok\n", BEGIN "\nFAILED\ntest_one\nok\n"},
		{BEGIN "\n", BEGIN "\n"},
		{BEGIN "\nFAILED\ntest\nok\n" END "\n", BEGIN "\nFAILED\ntest\nok\n" END "\n"},
		{BEGIN "\n3 failed\n" END "\n", BEGIN "\n3 failed\n" END "\n"},
		{BEGIN "\n" WORDS64 "\n3 failed, 4 passed\n" END "\n",
				"[redacted:private-key]\n3 failed, 4 passed\n" END "\n"},
		{"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n",
				"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n"},
	};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(clean(str_of(rows[i].text), &n), rows[i].shown);
}

/* Output after a mark without its end is not held back. */
static void test_pem_flows(void)
{
	struct redactor *r = redactor_new(&a, NULL, 0);
	struct buf out;

	buf_init(&out, &a, 0);
	redactor_feed(r, STR(BEGIN "\nthe key was not found\nnext line\n"), &out);
	CHECK(redactor_held(r) < 4);
	redactor_end(r, &out);
}

static void test_names(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"DB_PASSWORD=hunter\n", "DB_PASSWORD=[redacted:password]\n"},
		{"export DB_PASS='corr3ct horse'; x", "export DB_PASS='corr3ct horse'; x"},
		{"MYSQL_PASS=tiger7 x", "MYSQL_PASS=[redacted:password] x"},
		{"password: hunter2\n", "password: [redacted:password]\n"},
		{"password = \"hunter\"\n", "password = \"[redacted:password]\"\n"},
		{"{\"password\":\"tr0ub4dor\",\"user\":\"joe\"}",
				"{\"password\":\"[redacted:password]\",\"user\":\"joe\"}"},
		{"{\\\"password\\\": \\\"tr0ub4dor\\\", \\\"user\\\": 1}",
				"{\\\"password\\\": \\\"[redacted:password]\\\", \\\"user\\\": 1}"},
		{"\"apiKey\": \"Zq8w2Lm4Xv7Bn1\"", "\"apiKey\": \"[redacted:key]\""},
		{"GET /x?user=joe&password=letmein&b=1", "GET /x?user=joe&password=[redacted:password]&b=1"},
		{"GET /x?access_token=Zq8w2Lm4Xv7Bn1&b=1", "GET /x?access_token=[redacted:token]&b=1"},
		{"X-API-Key: Zq8w2Lm4Xv7Bn1\n", "X-API-Key: [redacted:key]\n"},
		{"Authorization: Token Zq8w2Lm4Xv7Bn1\n", "Authorization: Token [redacted:authorization]\n"},
		{"mysqldump --password tiger --all", "mysqldump --password [redacted:password] --all"},
		{"login --db-password=tiger --all", "login --db-password=[redacted:password] --all"},
		{"cli --api-key Zq8w2Lm4Xv7Bn1 run", "cli --api-key [redacted:key] run"},
		{"<password>tiger</password>", "<password>[redacted:password]</password>"},
		{"Server=db;User=sa;Password=Tiger;Encrypt=no",
				"Server=db;User=sa;Password=[redacted:password];Encrypt=no"},
		{"spring.datasource.password=p,w!d9\n", "spring.datasource.password=[redacted:password]\n"},
		{"\"auth\": \"am9lOnNlY3JldA==\"", "\"auth\": \"[redacted:auth]\""},
		{"machine x login joe password tiger\n",
				"machine x login joe password [redacted:netrc-password]\n"},
		{"HEROKU_API_KEY=3f2504e0-4f89-41d3-9a0c-0305e82c3301\n",
				"HEROKU_API_KEY=[redacted:heroku-key]\n"},
		{"PrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\n",
				"PrivateKey = [redacted:wireguard-key]\n"},
		{"password: \"s3cret\" and token=\"Zq8w2Lm4Xv7Bn1\"",
				"password: \"[redacted:password]\" and token=\"[redacted:token]\""},
		{"https://Zq8w2Lm4Xv7Bn1Kd9@host/x", "https://[redacted:url-password]@host/x"},
		{"https://Zq8w2Lm4Xv7Bn1Kd9:x-oauth-basic@host/x",
				"https://[redacted:url-password]:x-oauth-basic@host/x"},
		{"postgres://joe:p@ssw@host/x", "postgres://joe:[redacted:url-password]@host/x"},
		{"postgres://joe:pa/ss@host/x", "postgres://joe:[redacted:url-password]@host/x"},
	};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(clean(str_of(rows[i].text), &n), rows[i].shown);
}

/* Placeholders, words about secrets, and source code stay. */
static void test_no_secrets(void)
{
	static const char *const rows[] = {
		"PASSWORD=changeme", "password: <your-password>", "TOKEN=${TOKEN}",
		"API_KEY=xxxxxxxxxxxxxxxx",
		"password=$PASSWORD", "api_key: YOUR_API_KEY", "secret: {{ secrets.X }}", "token=%TOKEN%",
		"Password: required", "password: string", "password = getpass.getpass()",
		"connect(user=user, password=password)", "password=args.password", "self.token = token",
		"token_type: bearer", "tokens: 123456", "Unexpected token: foo",
		"password_file=/run/secrets/x",
		"PWD=/srv/app", "OLDPWD=/srv/app2", "cache_key=3f2504e04f8941d39a0c0305e82c3301",
		"key: value", "\"js-tokens\": \"^4.0.0\"", "secretName: my-app-tls2",
		"access_key_id = \"short\"", "if password == \"hunter2\":", "std::token::value1x2y",
		"--password-stdin docker", "--token-file /etc/token1", "# pass 12", "password: ********",
		"token = parser.next_token2()", "http://localhost:8080/a@b", "git@github.com:x/y.git",
		"https://joe@host/x", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "the password is not set",
		"Enter passphrase for key '/root/.ssh/id_rsa': ", "[redacted:token] token=[redacted:token]",
	};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(clean(str_of(rows[i]), &n), rows[i]);
}

/* Escapes that are none, others, and a joiner in an emoji. */
#define ODD "\\u{200b \\u{e9} \\u{ \\\\u{200b} C:\\u \xf0\x9f\x91\xa9\u200d\xf0\x9f\x92\xbb \\"

/* Invisible characters do not split a secret, raw or escaped; elsewhere they stay. */
static void test_invisible(void)
{
	static const char *const gaps[] = {"\u200b", "\u00ad", "\u2060", "\ufeff", "\\u{200b}", "\\u{ad}",
			"\\u{e0041}", "\u202e"};
	struct str body = of(LETTERS, 36);
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		CHECK_STR(clean(str_fmt(&a, "a%sb gh%sp_%.*s%s%.*s%s c%s", gaps[i], gaps[i],
				STR_ARG(str_sub(body, 0, 9)), gaps[i], STR_ARG(str_sub(body, 9, 36)), gaps[i],
				gaps[i]), &n), str_fmt_c(&a, "a%sb [redacted:github-token]%s c%s", gaps[i],
				gaps[i], gaps[i]));
		CHECK_STR(clean(str_fmt(&a, "pass%sword: hun%ster2\n", gaps[i], gaps[i]), &n),
				str_fmt_c(&a, "pass%sword: [redacted:password]\n", gaps[i]));
	}
	CHECK_STR(clean(STR(ODD), &n), ODD);
}

static void test_values(void)
{
	uint64_t n;

	CHECK_STR(clean(STR("pw=hunter2-hunter2; pw=hunter2-hunter2-long short hunter2-hunter"), &n),
			"pw=[redacted:value]; pw=[redacted:value] short hunter2-hunter");
	CHECK_INT(n, 2);
	CHECK_STR(clean(STR("xhunter2-hunter2x(blanks around)\n"), &n),
			"x[redacted:value]x([redacted:value])\n");
	CHECK_INT(n, 2);
}

/* A value in what a pattern would leave, and one that goes on where a pattern ends. */
static void test_values_in_patterns(void)
{
	uint64_t n;

	CHECK_STR(clean(STR("http://hunter2-hunter2:pw@host\n"), &n),
			"http://[redacted:url-password]@host\n");
	CHECK_STR(clean(STR("http://joe:pw@hunter2-hunter2\n"), &n),
			"http://joe:[redacted:url-password]@[redacted:value]\n");
	CHECK_STRN(clean(str_fmt(&a, "ghp_%.*shunter2-hunter2 x\n", STR_ARG(of(LETTERS, 36))), &n),
			STR("[redacted:github-token] x\n"));
	CHECK_INT(n, 1);
}

/* Normalising first is what makes this work. */
/* As programs write it without meaning to hide it. The texts were made by other programs. */
static void test_encoded(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"x aHVudGVyMi1odW50ZXIy y", "x [redacted:value] y"},
		{"x YWh1bnRlcjItaHVudGVyMg== y", "x YW[redacted:value]== y"},
		{"x YWJodW50ZXIyLWh1bnRlcjI= y", "x YWJ[redacted:value]= y"},
		{"cEBzcy93InJkICYgY28rMXRhaWw=", "[redacted:value]RhaWw="},
		{"P3BAc3MvdyJyZCAmIGNvKzF0YWls", "P3[redacted:value]0YWls"},
		{"Pz5wQHNzL3cicmQgJiBjbysxdGFpbA==", "Pz5[redacted:value]dGFpbA=="},
		{"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OWh1bnRl\ncjItaHVudGVyMmVuZA==",
				"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OW[redacted:value]VuZA="
				"="},
		{"\"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OWh1bnRl\\ncjItaHVudGVyMmVuZA==\"",
				"\"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OW[redacted:value]VuZ"
				"A==\""},
		{"hex 68756e746572322d68756e74657232.", "hex [redacted:value]."},
		{"HEX 68756E746572322D68756E74657232.", "HEX [redacted:value]."},
		{"xxd 68 75 6e 74 65 72 32 2d 68 75 6e 74 65 72 32.", "xxd [redacted:value]."},
		{"fp 68:75:6e:74:65:72:32:2d:68:75:6e:74:65:72:32.", "fp [redacted:value]."},
		{"c 0x68, 0x75, 0x6e, 0x74, 0x65, 0x72, 0x32, 0x2d, 0x68, 0x75, 0x6e, 0x74, 0x65, 0x72, "
				"0x32.", "c 0x[redacted:value]."},
		{"py \\x68\\x75\\x6e\\x74\\x65\\x72\\x32\\x2d\\x68\\x75\\x6e\\x74\\x65\\x72\\x32.",
				"py \\x[redacted:value]."},
		{"url %68%75%6E%74%65%72%32%2D%68%75%6E%74%65%72%32.", "url %[redacted:value]."},
		{"q=p%40ss%2Fw%22rd%20%26%20co%2B1&", "q=[redacted:value]&"},
		{"q=p%40ss%2Fw%22rd+%26+co%2B1&", "q=[redacted:value]&"},
		{"q=p%40ss/w%22rd%20%26%20co%2b1&", "q=[redacted:value]&"},
		{"{\"a\": \"p@ss/w\\\"rd & co+1\"}", "{\"a\": \"[redacted:value]\"}"},
		{"<b>p@ss/w&quot;rd &amp; co+1</b>", "<b>[redacted:value]</b>"},
		{"back 2retnuh-2retnuh 1+oc & dr\"w/ss@p", "back [redacted:value] [redacted:value]"},
		{"a aHVudGVyMi1odW50ZXIz b", "a aHVudGVyMi1odW50ZXIz b"},
		{"a 68756e746572322d68756e746572 b", "a 68756e746572322d68756e746572 b"},
		{"a hunter2%2Dhunter3 b", "a hunter2%2Dhunter3 b"},
		{"a 2retnuh-2retnu b", "a 2retnuh-2retnu b"},
		{"a c2hvcnQ= b", "a c2hvcnQ= b"},
		{"a 73686f7274 b", "a 73686f7274 b"},
	};
	struct str longer = STR("aHVudGVyMi1odW50ZXIyLWxvbmc="), shown = STR("[redacted:value]=");
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STRN(clean(str_of(rows[i].text), &n), str_of(rows[i].shown));
	CHECK_STRN(clean(longer, &n), shown); /* of two values the longer one */
}

static void test_split_by_colour(void)
{
	struct str token = str_fmt(&a, "AK\033[0mIA%.*s\n", STR_ARG(of(UPPER, 16)));
	uint64_t n;

	CHECK_STR(clean(normalise_text(&a, token, NULL, NULL), &n), "[redacted:aws-key]\n");
}

/* More than any piece, with a secret at every place around the bounds. */
static void test_long(void)
{
	struct str token = str_fmt(&a, "ghp_%.*s", STR_ARG(of(LETTERS, 36)));

	for (size_t at = 65500; at < 65560; at += 3) {
		struct redactor *r = redactor_new(&a, NULL, 0);
		struct buf text, out;
		struct str s;

		buf_init(&text, &a, 0);
		buf_init(&out, &a, 0);
		for (size_t i = 0; i < at; i++)
			buf_char(&text, i % 60 ? '.' : '\n');
		buf_str(&text, token);
		for (size_t i = 0; i < 100000; i++)
			buf_char(&text, ' ');
		redactor_feed(r, buf_view(&text), &out);
		redactor_end(r, &out);
		s = buf_view(&out);
		CHECK_INT(redactor_count(r), 1);
		CHECK(!str_contains(s, token));
		CHECK_INT(s.n, text.n - token.n + strlen("[redacted:github-token]"));
	}
}

/*
 * A text of which only what comes after a place is wanted, at every place: no part of a secret across it is
 * shown, and nothing of what was before.
 */
static void test_hide(void)
{
	struct str token = str_fmt(&a, "ghp_%.*s", STR_ARG(of(LETTERS, 36))),
			plain = STR("one two three\nfour five\n");
	struct str body = of(LETTERS, 64);
	struct str pem = str_fmt(&a, "-----BEGIN PRIVATE KEY-----\n%.*s\n%.*s\n-----END PRIVATE KEY-----",
			STR_ARG(body), STR_ARG(body));
	const struct {
		struct str secret;
		const char *shown;
	} rows[] = {{token, "[redacted:github-token]"}, {pem, "[redacted:private-key]"}};

	for (size_t k = 0; k < 2; k++) {
		struct str text = str_fmt(&a, "%.*s%.*s\n%.*s", STR_ARG(plain), STR_ARG(rows[k].secret),
				STR_ARG(plain));

		for (size_t at = 0; at <= text.n; at++) {
			struct redactor *r = redactor_new(&a, NULL, 0);
			struct str want = str_sub(text, at, text.n);
			struct buf before, after;
			uint64_t counted;

			buf_init(&before, &a, 0);
			buf_init(&after, &a, 0);
			redactor_feed(r, str_sub(text, 0, at), &before);
			counted = redactor_count(r);
			CHECK(redactor_hide(r) + before.n == at || counted);
			redactor_feed(r, want, &after);
			redactor_end(r, &after);
			if (at < plain.n + rows[k].secret.n)
				want = str_fmt(&a, "%.*s%s\n%.*s", STR_ARG(str_sub(plain, at, plain.n)),
						rows[k].shown, STR_ARG(plain));
			CHECK_STRN(buf_view(&after), want);
			CHECK_INT(redactor_count(r) - counted, at < plain.n + rows[k].secret.n);
		}
	}
}

/* Each is in the docs. */
static void test_kinds(void)
{
	size_t n = 0, different = 1;
	struct str page = STR("");
	struct err e = {0};

	CHECK(file_read(&a, "docs/result.md", (size_t)1 << 20, &page, NULL, &e) == 0);
	for (; redact_kind(n); n++) {
		different += n && strcmp(redact_kind(n), redact_kind(n - 1));
		if (!n || strcmp(redact_kind(n), redact_kind(n - 1)))
			CHECK_ROW(str_contains(page, str_fmt(&a, "`%s`", redact_kind(n))), redact_kind(n));
	}
	CHECK(different >= 200);
	CHECK(!redact_kind(n + 1));
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_tokens);
	RUN(test_shapes);
	RUN(test_pem);
	RUN(test_pem_flows);
	RUN(test_names);
	RUN(test_no_secrets);
	RUN(test_invisible);
	RUN(test_command);
	RUN(test_values);
	RUN(test_values_in_patterns);
	RUN(test_encoded);
	RUN(test_split_by_colour);
	RUN(test_long);
	RUN(test_characters);
	RUN(test_hide);
	RUN(test_kinds);
	arena_free(&a);
	return unit_end();
}
